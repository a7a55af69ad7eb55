package slicing

import "pidsbench/internal/draw"

// Deals is the number of times that families are dealt out to slices to learn how bad the worst of equal slices is. Of
// very many families they are fewer, so that no more than mostDealt cards are: the worst of large slices hardly varies.
const (
	Deals     = 1000
	mostDealt = 20_000_000
)

// deck deals families to slices. A card is what one slice holds of one family: its rows, and the errors on them.
type deck struct {
	sizes []int // cards of each slice
	dealt []int32
}

// newDeck shuffles for slices of so many cards each: for each slice of each deal it draws as many cards, with
// replacement, out of those of all slices. The stream's name decides.
func newDeck(stream string, sizes []int) *deck {
	d := &deck{sizes: sizes}
	all := 0
	for _, n := range sizes {
		all += n
	}
	d.dealt = make([]int32, min(Deals, max(1, mostDealt/all))*all)
	numbers := draw.New(0, "worst slice", stream)
	for i := range d.dealt {
		d.dealt[i] = int32(numbers.Below(all))
	}
	return d
}

// card holds what one slice has of one family.
type card struct{ errors, rows int32 }

// worst returns the mean over the deals of the largest error rate of a slice: what the worst slice is expected to show
// when all have families of one kind and differ by chance alone. Cards are in the order of the slices; of a slice
// without rows in a deal there is no rate.
func (d *deck) worst(cards []card, seeds int) float64 {
	sum, deals, at := 0.0, 0, 0
	for ; at < len(d.dealt); deals++ {
		largest := 0.0
		for _, n := range d.sizes {
			var errors, rows int
			for _, i := range d.dealt[at : at+n] {
				errors += int(cards[i].errors)
				rows += int(cards[i].rows)
			}
			at += n
			if rows > 0 {
				largest = max(largest, float64(errors)/float64(rows*seeds))
			}
		}
		sum += largest
	}
	return sum / float64(deals)
}
