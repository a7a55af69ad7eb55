#!/bin/sh
# twice.sh [ARCH]: builds a release twice, from nothing, in two copies of this checkout, and compares the archives. Takes
# some minutes. Downloads that are here already are used; nothing that was built is.
set -eu
cd "$(dirname "$0")/../.."
arch=${1:-amd64}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

for copy in one "another place/two"; do
	git clone --quiet --no-local . "$work/$copy"
	mkdir -p "$work/$copy/.build/packages"
	cp .build/packages/onnxruntime-* "$work/$copy/.build/packages/" 2> /dev/null || true
	(cd "$work/$copy" && GOCACHE="$work/$copy/.build/cache" tools/release/release.sh "$arch" 0.0.0-twice)
done
first=$work/one/.build/release/pidsbench-0.0.0-twice-linux-$arch.tar.gz
second="$work/another place/two/.build/release/pidsbench-0.0.0-twice-linux-$arch.tar.gz"
if ! cmp "$first" "$second"; then
	echo 'twice.sh: two builds differ' >&2
	exit 1
fi
echo "two builds in two folders are equal: $(sha256sum < "$first" | cut -d' ' -f1)"
