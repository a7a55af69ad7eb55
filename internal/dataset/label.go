package dataset

// Name returns benign or injection.
func (l Label) Name() string {
	if l == Injection {
		return "injection"
	}
	return "benign"
}
