package cli

import (
	"runtime"
	"strings"

	"golang.org/x/sys/cpu"
)

// cpuFeatures names the processor features that choose float kernels: scores of one family are bit-identical.
func cpuFeatures() string {
	var f []string
	for _, c := range []struct {
		name string
		has  bool
	}{
		{"avx2", cpu.X86.HasAVX2}, {"fma", cpu.X86.HasFMA}, {"avx512f", cpu.X86.HasAVX512F},
		{"avx512vnni", cpu.X86.HasAVX512VNNI}, {"avx512bf16", cpu.X86.HasAVX512BF16}, {"amx", cpu.X86.HasAMXTile},
		{"asimd", cpu.ARM64.HasASIMD}, {"asimddp", cpu.ARM64.HasASIMDDP}, {"sve", cpu.ARM64.HasSVE},
	} {
		if c.has {
			f = append(f, c.name)
		}
	}
	return strings.TrimSpace(runtime.GOARCH + " " + strings.Join(f, " "))
}
