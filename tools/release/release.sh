#!/bin/sh
# release.sh ARCH [VERSION]: makes .build/release/pidsbench-VERSION-linux-ARCH.tar.gz of this checkout, and checks that it
# runs. Two runs with the same commit and tools give the same bytes. VERSION defaults to the one in the sources.
set -eu
cd "$(dirname "$0")/../.."
root=$(pwd)
arch=$1
version=${2:-$(sed -n 's/^var version = "\(.*\)"$/\1/p' internal/cli/version.go)}
case $version in
*[!A-Za-z0-9.+-]* | '')
	echo "release.sh: \"$version\" is no version; expected letters, digits, dots, + and -" >&2
	exit 2
	;;
esac

if ! commit=$(git rev-parse HEAD 2> /dev/null); then
	echo 'release.sh: a release is made from a git checkout, and this folder is none' >&2
	exit 1
fi
if [ -n "$(git status --porcelain)" ]; then
	commit=$commit-dirty
	echo 'release.sh: the checkout holds more than its commit, which the release will say' >&2
fi
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

tools/release/native.sh "$arch"
native=$root/.build/release/native/$arch
made=$root/.build/release/made/$arch
rm -rf "$made"
mkdir -p "$made"

echo "building pidsbench $version for linux/$arch"
case $arch in
amd64) cross=x86_64-linux-gnu ;;
arm64) cross=aarch64-linux-gnu ;;
esac
# Nothing of the environment that changes code or names this folder may get into the program.
env -u GOEXPERIMENT -u CGO_CFLAGS -u CGO_CPPFLAGS -u CGO_CXXFLAGS -u GOFIPS140 GOFLAGS=-buildvcs=false GOAMD64=v1 GOARM64=v8.0 \
	CGO_ENABLED=1 GOOS=linux GOARCH="$arch" CC="$cross-gcc" CXX="$cross-g++" CGO_LDFLAGS="'-L$native'" \
	go build -trimpath -ldflags "-s -w -buildid= -X pidsbench/internal/cli.version=$version \
-X pidsbench/internal/cli.commit=$commit" -o "$made/pidsbench" ./cmd/pidsbench

python3 tools/setup/onnxruntime.py --machine "$([ "$arch" = amd64 ] && echo x86_64 || echo aarch64)" \
	--mirror .build/packages
go run ./tools/licences -arch "$arch" -notices "$made/THIRD-PARTY-LICENCES" > "$made/licences.txt"
go run ./tools/sbom -arch "$arch" -version "$version" -time "$SOURCE_DATE_EPOCH" -to "$made/sbom.cdx.json"
{
	echo "version  $version"
	echo "commit   $commit"
	echo "time     $(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)"
	echo "go       $(go env GOVERSION)"
	echo "rust     $(rustc --version)"
	echo "c        $("$cross-gcc" --version | head -n 1)"
} > "$made/BUILD"

archive=$root/.build/release/pidsbench-$version-linux-$arch.tar.gz
go run ./tools/release -version "$version" -arch "$arch" -time "$SOURCE_DATE_EPOCH" -to "$archive"
tools/release/check.sh "$archive"
