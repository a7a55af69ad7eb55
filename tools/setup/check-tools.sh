#!/bin/sh
# Looks for every tool the build needs, by using it, and names all that are missing or too old at once, with the way to
# install each. Exit status 1 when there is one. Run it before anything is built.
set -u
cd "$(dirname "$0")/../.." || exit 1

CARGO_MIN=1.78 # reads version 4 of Cargo.lock, as the tokenizers module has it
PYTHON_MIN=3.8
GO_MIN=$(awk '$1 == "go" { print $2 }' go.mod)

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
report=$scratch/report
: > "$report"

# lacks WHAT FOUND DEBIAN FEDORA MACOS
lacks() {
	printf '  %s: %s\n      Debian, Ubuntu  %s\n      Fedora          %s\n      macOS           %s\n' "$@" >> "$report"
}

# at_least FOUND WANTED compares dotted numbers.
at_least() {
	awk -v found="$1" -v wanted="$2" 'BEGIN {
		n = split(wanted, w, "."); split(found, f, ".")
		for (i = 1; i <= n; i++) if (f[i] + 0 != w[i] + 0) exit f[i] + 0 < w[i] + 0
	}'
}

# Asked inside the module, go switches to the version that go.mod wants, or fails when it may not.
if ! command -v go > /dev/null 2>&1; then
	found='not found'
elif version=$(go env GOVERSION 2> /dev/null) && at_least "${version#go}" "$GO_MIN"; then
	found=
else
	found="$(cd / && GOTOOLCHAIN=local go env GOVERSION) is too old"
fi
if [ -n "$found" ]; then
	lacks "go $GO_MIN or newer" "$found" 'sudo snap install go --classic, or the archive from go.dev/dl' \
		'sudo dnf install golang, or the archive from go.dev/dl' 'brew install go'
fi

if ! command -v cargo > /dev/null 2>&1; then
	found='not found'
elif version=$(cd / && cargo --version 2> /dev/null | awk '{ print $2 }') && [ -n "$version" ]; then
	found="$version is too old"
	at_least "$version" "$CARGO_MIN" && found=
else
	found='is there but does not run (rustup without a default toolchain?)'
fi
if [ -n "$found" ]; then
	lacks "cargo $CARGO_MIN or newer (Rust)" "$found" \
		'sudo apt-get install rustup, then rustup default stable (or rustup.rs)' 'sudo dnf install cargo' 'brew install rust'
fi

# The compilers must find their headers and link, not only exist. Go calls its own choice of C compiler.
printf '#include <stdlib.h>\nint main(void) { return abs(0); }\n' > "$scratch/a.c"
printf '#include <string>\nint main() { return (int)std::string().size(); }\n' > "$scratch/a.cc"
goes_by=$(go env CC 2> /dev/null | awk '{ print $1 }')
for compiler in cc ${goes_by:+"$goes_by"}; do
	"$compiler" "$scratch/a.c" -o "$scratch/a" > /dev/null 2>&1 && continue
	found='not found'
	command -v "$compiler" > /dev/null 2>&1 && found='is there but cannot build a small program'
	lacks "$compiler (C compiler with the C library's headers)" "$found" 'sudo apt-get install build-essential' \
		'sudo dnf install gcc glibc-devel' 'xcode-select --install'
	break
done
if ! c++ "$scratch/a.cc" -o "$scratch/a" > /dev/null 2>&1; then
	found='not found'
	command -v c++ > /dev/null 2>&1 && found='is there but cannot build a small program'
	lacks 'c++ (C++ compiler)' "$found" 'sudo apt-get install build-essential' 'sudo dnf install gcc-c++' \
		'xcode-select --install'
fi

python='sudo apt-get install python3 python3-pip'
if ! version=$(python3 -c 'import platform; print(platform.python_version())' 2> /dev/null); then
	lacks "python3 $PYTHON_MIN or newer with pip" 'not found' "$python" 'sudo dnf install python3 python3-pip' \
		'brew install python'
elif ! at_least "$version" "$PYTHON_MIN"; then
	lacks "python3 $PYTHON_MIN or newer with pip" "$version is too old" "$python" 'sudo dnf install python3 python3-pip' \
		'brew install python'
elif [ -z "${PIDSBENCH_SOURCES:-}" ] && ! python3 -m pip --version > /dev/null 2>&1; then
	lacks 'pip for python3' 'not found' 'sudo apt-get install python3-pip' 'sudo dnf install python3-pip' \
		'python3 -m ensurepip'
fi

if [ -s "$report" ]; then
	{
		echo 'These tools are missing or too old; nothing was built.'
		cat "$report"
		echo 'Install them, then run make again.'
	} >&2
	exit 1
fi
