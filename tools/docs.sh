#!/usr/bin/env bash
# tools/docs.sh [BUILD]: makes the documentation as a site in BUILD/docs, for a browser, without a server.  The packages
# (tools/site/package-lock.json) are installed in BUILD/site.  Pages of the gallery are made by BUILD/limber.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
work=$build/site

for program in npm node; do
    command -v $program >/dev/null || { echo "$program is missing (Debian: nodejs npm); without it there is no site" >&2; exit 1; }
done
mkdir -p "$work"
if ! cmp -s tools/site/package-lock.json "$work/installed.json"; then
    cp tools/site/package.json tools/site/package-lock.json "$work/"
    if ! (cd "$work" && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error) >"$work/npm.log" 2>&1; then
        tail -n 5 "$work/npm.log" >&2
        echo "npm cannot install the packages of the site (no network?)" >&2
        exit 1
    fi
    cp tools/site/package-lock.json "$work/installed.json"
fi
cp tools/site/* "$work/" # beside node_modules
node "$work/build.mjs" . "$(realpath --relative-to=. "$build/docs")" "$build/limber"
