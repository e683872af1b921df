#!/usr/bin/env bash
# tools/check_deb.sh [FOLDER]: builds the Debian packages (or takes those in FOLDER) and installs them with apt in a minimal Debian
# system: the program must run and view an installed example, and a C program must build with the development package.
# Needs mmdebstrap and a Debian mirror.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# = 0 ]; then tools/deb.sh >/dev/null; fi
packages=$(cd "${1:-build/deb}" && pwd)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$packages"/*.deb "$scratch/"
cp examples/cmake/last_values.c "$scratch/"
# how apt reaches its mirror here
for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
    if [ -f "$file" ] && grep -q Acquire "$file"; then cp "$file" "$scratch/90-${file##*/}"; fi
done

cat >"$scratch/steps.sh" <<'END_OF_STEPS'
set -eu
export DEBIAN_FRONTEND=noninteractive
export HOME=/tmp
cd /tmp/packages
for file in 90-*; do if [ -e "$file" ]; then cp "$file" /etc/apt/apt.conf.d/; fi; done
quietly() { "$@" >log 2>&1 || { tail -n 20 log; exit 1; }; }
step() { echo "step: $1"; }

quietly apt-get update
quietly apt-get -y --no-install-recommends install ./limber_*.deb
step "apt-get install ./limber_*.deb"
limber --version | grep -q 'commit [0-9a-f]'
step "limber --version"
limber run -q /usr/share/doc/limber/examples/elastic_slider_crank.yaml -o a.h5
step "limber run of an installed example"
limber view a.h5 --no-open -o a.html
grep -q '<title>a.h5</title>' a.html
step "limber view"
limber validate -c nafems_fv52 >log
grep -q ' 0 failed' log
step "limber validate of an installed case"

quietly apt-get -y --no-install-recommends install ./liblimber*.deb gcc libc6-dev pkg-config
step "apt-get install ./liblimber*.deb"
for kind in "" --static; do
    gcc last_values.c -o last_values $(pkg-config $kind --cflags --libs limber)
    ./last_values /usr/share/doc/limber/examples/pendulum.yaml | grep -q '^angle'
    rm -f /usr/lib/*/liblimber.so # so that the next -llimber is the static one
    step "a C program $kind"
done
quietly apt-get -y purge limber
[ ! -e /usr/bin/limber ]
[ ! -e /usr/share/limber ]
step "apt-get purge limber"
END_OF_STEPS
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    if [ -s "$file" ]; then sources+=("$file"); fi
done
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
failed=0
# shellcheck disable=SC2016
mmdebstrap --quiet --variant=apt --format=null \
    --customize-hook="mkdir \"\$1/tmp/packages\"" \
    --customize-hook="copy-in $(printf '%q ' "$scratch"/*) /tmp/packages" \
    --customize-hook='chroot "$1" sh /tmp/packages/steps.sh' \
    "$suite" /dev/null "${sources[@]}" >"$scratch/log" 2>&1 || failed=1

passed=$(grep -c '^step: ' "$scratch/log" || true)
if [ $failed != 0 ]; then tail -n 30 "$scratch/log"; fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
