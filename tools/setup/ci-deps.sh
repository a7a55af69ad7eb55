#!/bin/sh
# Installs the system packages that building and testing need and that are missing, with apt-get, as far as this user
# may. Go and Rust are not among them: those of the distributions are mostly too old (see check-tools.sh).
set -u

# has COMMAND… is true when the command runs.
has() { "$@" > /dev/null 2>&1; }

packages=
has cc --version && has gcc --version || packages="$packages gcc libc6-dev"
has c++ --version || packages="$packages g++"
has python3 --version || packages="$packages python3"
has python3 -m pip --version || packages="$packages python3-pip"
has chromium --version || has chromium-browser --version || has google-chrome --version || packages="$packages chromium"
if [ -z "$packages" ]; then
	echo 'system packages: all there'
	exit 0
fi

as_root=
[ "$(id -u)" = 0 ] || as_root='sudo -n'
if ! has apt-get --version || { [ -n "$as_root" ] && ! has $as_root true; }; then
	echo "system packages: missing, and not installable by this user with apt-get:$packages" >&2
	exit 0 # what truly needs one says so
fi
echo "system packages: installing$packages"
# shellcheck disable=SC2086 # both are lists of words
$as_root apt-get update -qq && $as_root env DEBIAN_FRONTEND=noninteractive \
	apt-get install -y -qq --no-install-recommends $packages
