package builder

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// forEach calls do with 0…n-1, on all processors.
func forEach(n int, do func(i int)) {
	const block = 64
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for from := int(next.Add(block)) - block; from < n; from = int(next.Add(block)) - block {
				for i := from; i < min(from+block, n); i++ {
					do(i)
				}
			}
		})
	}
	wg.Wait()
}

// forms applies a pure function to the text of every record, on all processors.
func forms(records []Record, form func(string) string) []string {
	out := make([]string, len(records))
	forEach(len(records), func(i int) { out[i] = form(records[i].Text) })
	return out
}
