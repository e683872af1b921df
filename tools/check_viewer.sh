#!/usr/bin/env bash
# tools/check_viewer.sh [BUILD [TEXT]]: the page of limber view in a real Chromium, the types of its sources, and what limber
# export writes for ParaView and as glTF (read back by VTK and checked by the Khronos validator).  With TEXT only the tests that
# have it in their names, and no types.  Screenshots stay in BUILD/viewer-test/screenshots.  Without npm or Chromium it fails:
# make test installs them (tools/packages.txt).
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
work=$build/viewer-test
mkdir -p "$work"

fail() { echo "$1"; echo "0 passed, 1 failed"; exit 1; }
for program in npm node; do command -v $program >/dev/null || fail "$program is missing (Debian: nodejs npm)"; done
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[ -n "$chromium" ] || fail "Chromium is missing (Debian: chromium); install it or set CHROMIUM to its path"
[ -f "$build/viewer/page.html" ] || fail "this build has no viewer page; see $build/viewer/npm.log"

/usr/bin/python3 -c 'import vtk' 2>/dev/null || fail "VTK for Python is missing (Debian: python3-vtk9)"

# packages of the tests, again only if their list changed
if ! cmp -s viewer/package-lock.json "$work/installed.json"; then
    cp viewer/package.json viewer/package-lock.json "$work/"
    (cd "$work" && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error) || fail "npm cannot install the packages for the tests"
    cp viewer/package-lock.json "$work/installed.json"
fi

status=0
rm -rf "$work"/*.html "$work"/*.h5 "$work/screenshots"
rm -rf "$work/source" && mkdir "$work/source"
cp -r viewer/tsconfig.json viewer/src "$work/source/" # beside node_modules
if [ $# -lt 2 ]; then
    cp "$build/viewer/scene.ts" "$work/source/src/"
    "$work/node_modules/.bin/tsc" -p "$work/source" || status=1
else
    export LIMBER_TEST=$2
fi
node tests/viewer/viewer.mjs "$build" "$work" "$chromium" "$work" || status=1
exit $status
