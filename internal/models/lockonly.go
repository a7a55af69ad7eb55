package models

// LockOnly returns the lock of a model folder that holds nothing else, README.md left aside: the weights are known by
// their hashes and not shipped. For any other folder it returns nil, and Verify says what is wrong there.
func LockOnly(dir string) *Lock {
	lock, err := ReadLock(dir)
	if err != nil || len(strangers(dir, map[string]bool{LockName: true, "README.md": true})) > 0 {
		return nil
	}
	return lock
}
