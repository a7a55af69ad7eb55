#!/bin/sh
# native.sh ARCH: puts the native libraries of a release for linux/ARCH (amd64, arm64) into .build/release/native/ARCH:
# libtokenizers.a, built from its Rust sources, and the pinned libonnxruntime.so. No path of this machine gets into the
# archive, so that two builds with the same tools are equal.
set -eu
cd "$(dirname "$0")/../.."
root=$(pwd)

arch=$1
case $arch in
amd64) triple=x86_64-unknown-linux-gnu cross=x86_64-linux-gnu machine=x86_64 ;;
arm64) triple=aarch64-unknown-linux-gnu cross=aarch64-linux-gnu machine=aarch64 ;;
*)
	echo "native.sh: there is no release for linux/$arch, expected amd64 or arm64" >&2
	exit 2
	;;
esac

# What is missing is said at once, with what brings it.
for tool in "$cross-gcc" "$cross-g++" "$cross-ar"; do
	command -v "$tool" > /dev/null 2>&1 && continue
	echo "native.sh: no compiler $tool for linux/$arch; on Debian and Ubuntu the packages" \
		"g++-$(echo "$cross" | tr _ -) and gcc-$(echo "$cross" | tr _ -) have it" >&2
	exit 1
done
if ! [ -d "$(rustc --print sysroot)/lib/rustlib/$triple/lib" ]; then
	echo "native.sh: Rust has no standard library for linux/$arch here; \`rustup target add $triple\` brings it" >&2
	exit 1
fi

module=github.com/daulet/tokenizers
go mod download "$module"
sources=$(go list -m -f '{{.Dir}}' "$module")
cargo_home=${CARGO_HOME:-$HOME/.cargo}
build=$root/.build/release/cargo/$arch
to=$root/.build/release/native/$arch
want="$module $(go list -m -f '{{.Version}}' "$module"), $(rustc --version), $("$cross-gcc" -dumpfullversion)"

mkdir -p "$to"
python3 tools/setup/onnxruntime.py --machine "$machine" --into "$to"
if [ ! -f "$to/libtokenizers.a" ] || [ "$(cat "$to/libtokenizers.version" 2> /dev/null)" != "$want" ]; then
	echo "building libtokenizers.a for linux/$arch (about 2 minutes on 2 cores)"
	# Flags that hold spaces go by CARGO_ENCODED_RUSTFLAGS, split at the unit separator.
	us=$(printf '\037')
	flags="--remap-path-prefix=$cargo_home=/cargo$us--remap-path-prefix=$sources=/tokenizers$us--remap-path-prefix=$build=/build"
	maps="-ffile-prefix-map=$cargo_home=/cargo" # all C and C++ sources lie in crates
	under=$(echo "$triple" | tr - _)
	upper=$(echo "$under" | tr '[:lower:]' '[:upper:]')
	env -u CARGO_BUILD_TARGET -u RUSTFLAGS -u CFLAGS -u CXXFLAGS \
		CARGO_ENCODED_RUSTFLAGS="$flags" "CARGO_TARGET_${upper}_LINKER=$cross-gcc" \
		"CC_$under=$cross-gcc" "CXX_$under=$cross-g++" "AR_$under=$cross-ar" "CFLAGS_$under=$maps" "CXXFLAGS_$under=$maps" \
		CARGO_PROFILE_RELEASE_LTO=fat CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1 \
		cargo build --quiet --release --locked --target "$triple" --manifest-path "$sources/Cargo.toml" --target-dir "$build"
	cp "$build/$triple/release/libtokenizers.a" "$to/.libtokenizers.a.new"
	mv "$to/.libtokenizers.a.new" "$to/libtokenizers.a"
	echo "$want" > "$to/libtokenizers.version"
	rm -rf "$build"
fi
