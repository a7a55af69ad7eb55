package cli

// version is the version of the program; a release overrides it at link time.
var version = "0.1.0"
