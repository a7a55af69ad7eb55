#!/bin/sh
# check.sh ARCHIVE [full]: unpacks a release and runs it where nothing is installed: in a root folder that holds the C and
# C++ libraries and no more, without a network and without any variable of the environment. An archive of another
# processor runs in qemu (qemu-user-static). "full" also builds the data there, from the packages of this checkout, and
# scores every split; without it the data of this checkout are copied, when they are built, and few rows scored.
set -eu
archive=$1
full=${2:-}
cd "$(dirname "$0")/../.."
here=$(pwd)
case $archive in /*) ;; *) archive=$OLDPWD/$archive ;; esac

fail() {
	echo "check.sh: $(basename "$archive"): $*" >&2
	exit 1
}

case $archive in
*-linux-amd64.tar.gz) triplet=x86_64-linux-gnu loader=lib64/ld-linux-x86-64.so.2 machine=x86_64 ;;
*-linux-arm64.tar.gz) triplet=aarch64-linux-gnu loader=lib/ld-linux-aarch64.so.1 machine=aarch64 ;;
*) fail 'is no archive of a release for linux-amd64 or linux-arm64' ;;
esac
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
trap 'exit 130' INT TERM

# One top folder, and nothing but plain files and folders.
tops=$(tar -tzf "$archive" | cut -d/ -f1 | sort -u)
[ "$tops" = "$(basename "$archive" .tar.gz)" ] || fail "its top folders are: $tops"
if tar -tvzf "$archive" | grep -q '^[^-d]'; then
	fail 'it holds links or devices'
fi
(cd "$(dirname "$archive")" && sha256sum --quiet -c "$(basename "$archive").sha256") || fail 'its SHA-256 is another'
mkdir -p "$root/app" "$root/work" "$root/tmp" "$root/proc" "$root/lib/$triplet" "$root/$(dirname $loader)"
tar -xzf "$archive" -C "$root/app" --strip-components=1

for name in libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 libstdc++.so.6 libgcc_s.so.1 "$(basename $loader)"; do
	for dir in "/lib/$triplet" "/usr/lib/$triplet" "/usr/$triplet/lib"; do
		[ ! -f "$dir/$name" ] || break
	done
	[ -f "$dir/$name" ] || fail "no $name for $machine here to run it with (on amd64 the package libstdc++6-arm64-cross has those of arm64)"
	cp -L "$dir/$name" "$root/lib/$triplet/"
done
mv "$root/lib/$triplet/$(basename $loader)" "$root/$loader"

emulator=
if [ "$machine" != "$(uname -m)" ]; then
	command -v "qemu-$machine-static" > /dev/null || fail "needs qemu-$machine-static to run here (package qemu-user-static)"
	cp "$(command -v "qemu-$machine-static")" "$root/emulator"
	emulator=/emulator
fi

unshare=$(command -v unshare) || fail 'needs unshare (package util-linux)'
# bench ARGUMENTS… runs the program of the release in that folder.
bench() {
	# shellcheck disable=SC2086 # no emulator is no word
	env -i ${PIDSBENCH_SOURCES:+PIDSBENCH_SOURCES=/packages} "$unshare" --user --map-root-user --net --pid --fork --root="$root" \
		--mount-proc --wd=/work $emulator /app/bin/pidsbench "$@"
}
said() { # said WORDS FILE
	grep -q -e "$1" "$2" || { cat "$2" >&2 && fail "does not say \"$1\""; }
}

unset PIDSBENCH_SOURCES
bench --version
bench doctor > "$root/doctor" 2> /dev/null || true # there are no data yet
said '^ok   project ' "$root/doctor"
said '^ok   tokenizers ' "$root/doctor"
said '^ok   ONNX Runtime ' "$root/doctor"
said '^ok   model .* deberta: .* as locked' "$root/doctor"
if [ "$full" = full ]; then
	mkdir "$root/packages"
	cp "$here"/.build/packages/* "$root/packages/"
	PIDSBENCH_SOURCES=1
	bench data build
	unset PIDSBENCH_SOURCES
	limit=
elif [ -f data/open/test.csv ]; then
	cp -R data/open "$root/app/data/open"
	limit='--limit 20'
else
	echo "$(basename "$archive") runs; without built data there was nothing to score"
	exit 0
fi
bench verify > "$root/verify" || { cat "$root/verify" >&2 && fail 'does not verify the data'; }
bench doctor > "$root/doctor" || { cat "$root/doctor" >&2 && fail 'is not content with its folder'; }
# shellcheck disable=SC2086 # two words or none
bench eval --detector deberta,rule $limit > "$root/eval" 2> "$root/eval.log" || [ $? = 4 ] || {
	cat "$root/eval.log" >&2 && fail 'does not score'
}
said 'Main table' "$root/eval"
bench report --detector all > "$root/report" 2> "$root/report.log" || [ $? = 4 ] || {
	cat "$root/report.log" >&2 && fail 'does not report'
}
said 'Main table' "$root/report"
echo "$(basename "$archive") runs with nothing but the C and C++ libraries"
