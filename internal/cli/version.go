package cli

// version is the version of the program; a release overrides it at link time.
var version = "0.1.0"

// commit is the commit that a release was built from, set at link time, with "-dirty" behind it when the sources held
// more than it.
var commit string
