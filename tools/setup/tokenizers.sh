#!/bin/sh
# Builds third_party/lib/libtokenizers.a, the tokenizers library, from the Rust sources that the Go module carries. The
# archive is not the same byte for byte each time, so what is pinned is the module (go.mod, go.sum) and its Cargo.lock.
set -eu
cd "$(dirname "$0")/../.."

module=github.com/daulet/tokenizers
lib=third_party/lib
go mod download "$module"
want="$module $(go list -m -f '{{.Version}}' "$module"), fat LTO"
if [ -f "$lib/libtokenizers.a" ] && [ "$(cat "$lib/libtokenizers.version" 2> /dev/null)" = "$want" ]; then
	touch "$lib/libtokenizers.a" # built from this version already
	exit 0
fi

echo "building libtokenizers.a from its Rust sources (about 2 minutes on 2 cores)"
sources=$(go list -m -f '{{.Dir}}' "$module")
env -u CARGO_BUILD_TARGET CARGO_PROFILE_RELEASE_LTO=fat CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1 \
	cargo build --quiet --release --locked --manifest-path "$sources/Cargo.toml" --target-dir .build/cargo
mkdir -p "$lib"
cp .build/cargo/release/libtokenizers.a "$lib/.libtokenizers.a.new"
rm -f "$lib/libtokenizers.version"
mv "$lib/.libtokenizers.a.new" "$lib/libtokenizers.a"
echo "$want" > "$lib/libtokenizers.version"
rm -rf .build/cargo
