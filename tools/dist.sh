#!/usr/bin/env bash
# tools/dist.sh: build/limber-VERSION.tar.gz: what is committed, and the page of limber view as it was built (build/viewer/page.c), so
# that building from it needs neither npm nor network.
set -euo pipefail
cd "$(dirname "$0")/.."

stop() { echo "tools/dist.sh: $1" >&2; exit 1; }
[ -e .git ] || stop "this is not a checkout; a release is made from one"
git diff --quiet HEAD -- viewer || stop "viewer/ has changes that are not committed; commit them, or the page will not fit its sources"
git diff --quiet HEAD || echo "note: changes that are not committed are left out" >&2
grep -q '^static const char bytes' build/viewer/page.c || stop "limber view has no page in this build; install npm and build again"

version=$(git show HEAD:CMakeLists.txt | sed -n 's/^project(limber VERSION \([0-9.]*\).*/\1/p')
name=limber-$version
git archive --format=tar.gz --prefix="$name/viewer/" --add-file=build/viewer/page.c --prefix="$name/" -o "build/$name.tar.gz" HEAD
echo "build/$name.tar.gz"
