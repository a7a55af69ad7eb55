#!/bin/sh
# Looks for known vulnerabilities in the functions that the program calls. The database is that of the Go project at its
# own address; where that cannot be reached, the same entries are taken from the Go module that keeps them. One in a
# module fails; those in Go itself are listed, since whoever builds mends them by a newer Go.
set -eu
cd "$(dirname "$0")/.."
GOVULNCHECK=golang.org/x/vuln/cmd/govulncheck@v1.9.0
ENTRIES=golang.org/x/vulndb@latest

report=$(mktemp)
trap 'rm -f "$report"' EXIT
status=0
go run "$GOVULNCHECK" ./... > "$report" 2>&1 || status=$?
if [ $status != 0 ] && grep -q 'vuln\.go\.dev' "$report"; then
	if ! found=$(go mod download -json "$ENTRIES"); then
		echo 'vulncheck: neither the database of vulnerabilities nor the Go module with its entries can be reached; nothing was checked' >&2
		exit 1
	fi
	dir=$(echo "$found" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
	echo "the database cannot be reached; using its entries in $(basename "$dir")"
	status=0
	go run "$GOVULNCHECK" -db "file://$dir/data/osv" ./... > "$report" 2>&1 || status=$?
fi
if [ $status != 0 ] && grep -q '^  Standard library$' "$report" && ! grep -q '^  Module: ' "$report"; then
	grep -E '^Vulnerability #|^    (Found|Fixed) in: ' "$report"
	echo "no module has a known vulnerability; $(go env GOVERSION) has those above: build with the newest Go of its series"
	exit 0
fi
cat "$report"
exit $status
