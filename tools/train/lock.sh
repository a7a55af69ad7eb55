#!/bin/sh
# Writes the locked requirements anew from requirements.txt: every package with its dependencies, pinned by version and
# by the hashes of its files for all systems. Needs uv (pip install uv). Run it after a change of requirements.txt.
#
#   requirements.lock      everything
#   requirements-cpu.lock  the same without PyTorch and the CUDA packages that its wheel for Linux asks for, for those
#                          who install PyTorch from the index of its CPU wheels
set -eu
cd "$(dirname "$0")"

lock() {
	out=$1
	shift
	uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-annotate --no-header "$@" \
		requirements.txt -o "$out.new"
	{
		echo '# Written by lock.sh from requirements.txt; change that instead.'
		cat "$out.new"
	} > "$out"
	rm "$out.new"
}

lock requirements.lock
cuda=$(sed -n 's/^\(cuda-[a-z0-9-]*\|nvidia-[a-z0-9-]*\|triton\)==.*/--no-emit-package=\1/p' requirements.lock | sort -u)
# shellcheck disable=SC2086 # one word each
lock requirements-cpu.lock --no-emit-package=torch $cuda
