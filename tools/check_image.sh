#!/usr/bin/env bash
# tools/check_image.sh: builds packaging/Containerfile with buildah, on a Debian base image made by mmdebstrap instead of one from a
# registry, and runs the image. Needs root and a Debian mirror.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=bookworm # the base image of packaging/Containerfile
skip() { echo "$1"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
command -v buildah >/dev/null || skip "buildah is not installed"
[ "$(id -u)" = 0 ] || skip "only root can build an image here"
[ "$(. /etc/os-release && echo "$VERSION_CODENAME")" = $suite ] || skip "the mirrors of this machine are not those of $suite"
tools/dist.sh >/dev/null

scratch=$(mktemp -d /var/tmp/limber_image.XXXXXX)
trap 'rm -rf --one-file-system "$scratch"' EXIT
images=(buildah --root "$scratch/images" --runroot "$scratch/run" --storage-driver vfs)

# the base: a minimal Debian that knows how apt reaches its mirror here
mkdir "$scratch/apt"
for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
    if [ -f "$file" ] && grep -q Acquire "$file"; then cp "$file" "$scratch/apt/90-${file##*/}"; fi
done
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    if [ -s "$file" ]; then sources+=("$file"); fi
done
mmdebstrap --quiet --variant=apt --customize-hook="copy-in $(printf '%q ' "$scratch"/apt/*) /etc/apt/apt.conf.d" $suite "$scratch/base.tar" "${sources[@]}"
base=$("${images[@]}" from scratch)
"${images[@]}" add "$base" "$scratch/base.tar" / >/dev/null
"${images[@]}" config --cmd /bin/sh "$base"
"${images[@]}" commit --quiet --rm "$base" localhost/base >/dev/null

"${images[@]}" build --quiet --isolation chroot --network host --build-arg BASE=localhost/base -f packaging/Containerfile -t limber build/dist

# what a user would do
container=$("${images[@]}" from --pull-never localhost/limber)
inside() { "${images[@]}" run --isolation chroot "$container" -- "$@"; }
inside limber --version | grep -q 'commit [0-9a-f]'
inside limber run -q /usr/local/share/doc/limber/examples/four_bar.yaml -o a.h5
inside limber view a.h5 --no-open
inside limber plot a.h5 -o a.svg
inside grep -q '<title>a.h5</title>' a.html
echo "6 passed, 0 failed"
