package onnx

import (
	"encoding/binary"
	"math"
	"testing"
)

func TestHalfIsTheNumberItsBitsMean(t *testing.T) {
	for bits, want := range map[uint16]float64{
		0x0000: 0, 0x3c00: 1, 0xc000: -2, 0x3555: 0.333251953125, 0x7bff: 65504, 0x0400: 0x1p-14, 0x0001: 0x1p-24,
		0x83ff: -1023 * 0x1p-24, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1),
	} {
		raw := binary.NativeEndian.AppendUint16(nil, bits)
		if got := halves(raw); len(got) != 1 || float64(got[0]) != want {
			t.Errorf("%04x: %v, expected %v", bits, got, want)
		}
	}
	if got := half(0x7e00); !math.IsNaN(float64(got)) {
		t.Errorf("NaN reads as %v", got)
	}
	if got := half(0x8000); got != 0 || !math.Signbit(float64(got)) {
		t.Errorf("minus zero reads as %v", got)
	}
}

func TestHalvesGrowWithTheirBits(t *testing.T) {
	for bits := range uint16(0x7c00) {
		if !(half(bits) < half(bits+1)) {
			t.Fatalf("%04x reads as %v, %04x as %v", bits, half(bits), bits+1, half(bits+1))
		}
	}
}
