#!/usr/bin/env bash
# tools/check_dist.sh: makes the release tarball and builds from it without git, npm and network; the program must run an example and
# contain the viewer page.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/try.sh
commit=$(git rev-parse --short HEAD)
tarball=$PWD/$(tools/dist.sh)

# programs that a build must not call leave a trace instead
mkdir "$scratch/bin"
for name in npm node git; do
    printf '#!/bin/sh\necho "%s $*" >>%s/called\nexit 1\n' $name "$scratch" >"$scratch/bin/$name"
    chmod +x "$scratch/bin/$name"
done
export PATH=$scratch/bin:$PATH
offline=()
if unshare --net --map-root-user true 2>/dev/null; then offline=(unshare --net --map-root-user); fi

tar -xzf "$tarball" -C "$scratch"
cd "$scratch"/limber-*
try "build" "${offline[@]}" sh -c "make build/build.ninja && cmake --build build -j ${JOBS:-2} --target limber -- --quiet"
try "neither npm nor git was called" test ! -e "$scratch/called"
try "run" build/limber run -q examples/four_bar.yaml -o "$scratch/four_bar.h5"
try "view" build/limber view "$scratch/four_bar.h5" --no-open -o "$scratch/four_bar.html"
try "page" grep -q '<title>four_bar.h5</title>' "$scratch/four_bar.html"
try "licences in the page" grep -q 'three.js authors' "$scratch/four_bar.html"
try "commit" sh -c "build/limber --version | grep -q 'commit $commit '"

finish
