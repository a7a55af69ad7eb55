package onnx

import (
	"encoding/binary"
	"math"
)

// halves reads float16 numbers in the machine's order of bytes; each of them is a float32 exactly.
func halves(raw []byte) []float32 {
	out := make([]float32, len(raw)/2)
	for i := range out {
		out[i] = half(binary.NativeEndian.Uint16(raw[2*i:]))
	}
	return out
}

// half returns the number that the bits of a float16 mean.
func half(bits uint16) float32 {
	sign, exponent, fraction := uint32(bits>>15)<<31, uint32(bits>>10)&0x1f, uint32(bits)&0x3ff
	switch exponent {
	case 0: // zero, or a multiple of the smallest number
		f := float32(fraction) * 0x1p-24
		return math.Float32frombits(sign | math.Float32bits(f))
	case 0x1f: // infinite or NaN
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
