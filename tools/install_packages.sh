#!/usr/bin/env bash
# tools/install_packages.sh [--check] GROUP...: installs the packages of these groups of tools/packages.txt that are
# missing.  --check: only lists the missing packages and how to install them; exit code 1 if there are any.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

check=no
if [ "${1:-}" = --check ]; then check=yes; shift; fi

wanted=()
for group in "$@"; do
    while IFS='=' read -r name program; do # PACKAGE=PROGRAM
        if [ -z "$program" ] || ! command -v "$program" >/dev/null; then wanted+=("$name"); fi
    done < <(awk -v g="$group" '$1 == g { print $2 }' "$here/packages.txt")
done

# not a Debian system: cannot check; CMake reports missing libraries
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    if [ $check = no ]; then
        echo "apt is not available; install the equivalents of these Debian packages: ${wanted[*]}" >&2
    fi
    exit 0
fi

missing=()
for name in "${wanted[@]}"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$name")
done
if [ ${#missing[@]} = 0 ]; then exit 0; fi

sudo=
if [ "$(id -u)" != 0 ]; then sudo=sudo; fi
if [ $check = yes ]; then
    echo "missing packages: ${missing[*]}" >&2
    echo "install them with: ${sudo:+sudo }apt-get install ${missing[*]}   (or: make packages)" >&2
    exit 1
fi
if [ -n "$sudo" ] && ! command -v sudo >/dev/null; then
    echo "cannot install without root or sudo: as root, run: apt-get install ${missing[*]}" >&2
    exit 1
fi

echo "installing ${missing[*]}"
install() {
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 \
        install "${missing[@]}" >/dev/null
}
# fetch the package lists only if the install fails with the present ones
if ! install 2>/dev/null; then
    $sudo apt-get -qq update
    install
fi
