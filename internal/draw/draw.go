// Package draw makes random choices that belong to one thing: a row draws the same numbers, and takes the same place in
// an order, whatever other rows there are.
package draw

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Stream is a stream of random numbers that belongs to one (seed, stage, id): a row draws the same numbers whatever
// stands before or after it. The stream is PCG-DXSM (rand.PCG of the standard library) seeded with the first 16 bytes
// of SHA-256 over seed, stage and id, each followed by a zero byte.
type Stream struct{ src *rand.PCG }

// New returns the stream of one id in one stage.
func New(seed int64, stage, id string) Stream {
	key := Key(seed, stage, id)
	return Stream{rand.NewPCG(binary.BigEndian.Uint64(key[:8]), binary.BigEndian.Uint64(key[8:16]))}
}

// Chance reports true with the given probability, in parts of 1,000: it compares the next number, scaled to
// 0…999, with it.
func (d Stream) Chance(perMille int) bool { return d.Below(1000) < perMille }

// Below returns a number in [0, n): the upper half of the product of n and the next 64 bits. Its bias is below n/2^64.
func (d Stream) Below(n int) int {
	hi, _ := bits.Mul64(d.src.Uint64(), uint64(n))
	return int(hi)
}

// Key is SHA-256 over seed, stage and id, each followed by a zero byte.
func Key(seed int64, stage, id string) [sha256.Size]byte {
	b := make([]byte, 0, 96)
	for _, s := range []string{strconv.FormatInt(seed, 10), stage, id} {
		b = append(append(b, s...), 0)
	}
	return sha256.Sum256(b)
}

// Order sorts items into the order of their keys' hashes: a shuffle that depends on no item but the two compared.
func Order[T any](items []T, seed int64, stage string, id func(T) string) {
	type keyed struct {
		key  [sha256.Size]byte
		item T
	}
	all := make([]keyed, len(items))
	for i, it := range items {
		all[i] = keyed{Key(seed, stage, id(it)), it}
	}
	slices.SortStableFunc(all, func(a, b keyed) int { return slices.Compare(a.key[:], b.key[:]) })
	for i := range all {
		items[i] = all[i].item
	}
}
