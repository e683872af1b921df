#!/usr/bin/env bash
# tools/install_packages.sh [--check | --try] GROUP...: installs the packages of these groups of tools/packages.txt that are
# missing.  --check: only says what is missing and how to install it, exit code 1 if something is.  --try: what cannot be
# installed is named, and that is all: exit code 0.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

mode=install
case ${1:-} in --check | --try) mode=${1#--}; shift ;; esac

wanted=() perhaps=' '
for group in "$@"; do
    while IFS='=' read -r name program; do # PACKAGE=PROGRAM, or PACKAGE? for one that not every suite has
        if [[ $name == *\? ]]; then name=${name%\?} perhaps+="$name "; fi
        if [ -z "$program" ] || ! command -v "$program" >/dev/null; then wanted+=("$name"); fi
    done < <(awk -v g="$group" '$1 == g { print $2 }' "$here/packages.txt")
done

# not a Debian system: cannot check; CMake reports missing libraries
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    if [ $mode = install ]; then
        echo "apt is not available: nothing was installed; limber needs the equivalents of: ${wanted[*]}" >&2
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
# give_up TEXT: fatal, but for what is only tried
give_up() {
    echo "$1" >&2
    if [ $mode = try ]; then exit 0; else exit 1; fi
}
if [ $mode = check ]; then
    echo "missing packages: ${missing[*]}" >&2
    give_up "install them with: ${sudo:+sudo }apt-get install ${missing[*]}   (or: make packages)"
fi
if [ -n "$sudo" ] && ! sudo -n true 2>/dev/null && { ! command -v sudo >/dev/null || [ ! -t 0 ]; }; then
    give_up "missing packages, which only root can install: apt-get install ${missing[*]}"
fi

echo "installing ${missing[*]}"
install() {
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 \
        install "${missing[@]}" >/dev/null
}
# package lists are fetched only if the install does not work with those that are there
if install 2>/dev/null; then exit 0; fi
$sudo apt-get -qq update || true
for i in "${!missing[@]}"; do
    name=${missing[i]}
    if [[ $perhaps == *" $name "* ]] && ! [[ $(apt-cache policy "$name") =~ Candidate:\ [^\(] ]]; then
        echo "this suite has no $name: going on without it"
        unset "missing[i]"
    fi
done
if [ ${#missing[@]} -gt 0 ] && ! install; then
    give_up "apt-get could not install: ${missing[*]}"
fi
