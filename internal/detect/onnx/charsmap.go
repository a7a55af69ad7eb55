package onnx

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// checkCharsmap verifies a character map in SentencePiece's format: base64 of the trie's size in bytes (uint32, little
// endian), the trie, and the replacement texts, each ended by NUL. The trie is a double array as in Darts-clone: a unit
// of 32 bits holds a label or a value, a leaf flag and an offset. Every step that some input can take must stay inside.
func checkCharsmap(text string) error {
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || base64.StdEncoding.EncodeToString(data) != text {
		return fmt.Errorf("it is not plain base64")
	}
	if len(data) < 4 {
		return fmt.Errorf("it holds %d bytes, expected at least 4", len(data))
	}
	size, rest := binary.LittleEndian.Uint32(data), data[4:]
	if int64(size) > int64(len(rest)) {
		return fmt.Errorf("its trie is said to hold %d bytes, %d are left", size, len(rest))
	}
	trie := make([]uint32, size/4)
	for i := range trie {
		trie[i] = binary.LittleEndian.Uint32(rest[4*i:])
	}
	texts := rest[4*len(trie):]
	if !utf8.Valid(texts) {
		return fmt.Errorf("its texts are not valid UTF-8")
	}
	if len(trie) == 0 {
		return fmt.Errorf("its trie is empty")
	}
	return walkTrie(trie, texts)
}

func walkTrie(trie []uint32, texts []byte) error {
	offset := func(unit uint32) uint64 { return uint64(unit>>10) << (unit & (1 << 9) >> 6) }
	seen := make([]bool, len(trie))
	todo := []uint64{offset(trie[0])}
	for len(todo) > 0 {
		node := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for c := uint64(1); c < 256; c++ {
			at := node ^ c
			if at >= uint64(len(trie)) {
				return fmt.Errorf("its trie of %d units points to unit %d", len(trie), at)
			}
			unit := trie[at]
			if uint64(unit&(1<<31|0xFF)) != c {
				continue
			}
			next := at ^ offset(unit)
			if next >= uint64(len(trie)) {
				// Without a leaf, the next byte may land inside again; no true map does that.
				return fmt.Errorf("its trie of %d units points to unit %d", len(trie), next)
			}
			if unit>>8&1 == 1 {
				if value := trie[next] &^ (1 << 31); uint64(value) > uint64(len(texts)) ||
					int(value) < len(texts) && !utf8.RuneStart(texts[value]) {
					return fmt.Errorf("its trie points to byte %d of %d bytes of text", value, len(texts))
				}
			}
			if !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return nil
}
