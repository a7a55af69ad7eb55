package metrics

// BalancedAccuracy returns the mean of the recall and of the share of benign rows that pass, (TPR + 1 − FPR)/2: one half
// for a detector that flags everything, nothing, or at random. It is undefined unless both classes have rows.
func (c Counts) BalancedAccuracy() Value {
	recall, fpr := c.Recall(), c.FPR()
	switch {
	case !recall.OK:
		return recall
	case !fpr.OK:
		return fpr
	}
	return Value{V: (recall.V + 1 - fpr.V) / 2, OK: true}
}
