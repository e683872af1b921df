#!/usr/bin/env bash
# tools/dist.sh: makes build/dist/limber-VERSION.tar.gz: the committed sources plus the viewer page as built (build/viewer/page.c), so that
# building from the tarball needs neither npm nor a network.
set -euo pipefail
cd "$(dirname "$0")/.."

stop() { echo "tools/dist.sh: $1" >&2; exit 1; }
[ -e .git ] || stop "not a git checkout; releases are made from one"
git diff --quiet HEAD -- viewer || stop "viewer/ has uncommitted changes; commit them first, so that the page matches its sources"
git diff --quiet HEAD || echo "note: uncommitted changes are not in the tarball" >&2
grep -q '^static const char bytes' build/viewer/page.c || stop "build/ has no viewer page; install npm and run make"

version=$(git show HEAD:CMakeLists.txt | sed -n 's/^project(limber VERSION \([0-9.]*\).*/\1/p')
name=limber-$version
folder=build/dist
mkdir -p $folder
find $folder -name 'limber-*.tar.gz' ! -name "$name.tar.gz" -delete # older releases
git archive --format=tar.gz --prefix="$name/viewer/" --add-file=build/viewer/page.c --prefix="$name/" -o "$folder/$$.tar.gz" HEAD
mv "$folder/$$.tar.gz" "$folder/$name.tar.gz"
echo "$folder/$name.tar.gz"
