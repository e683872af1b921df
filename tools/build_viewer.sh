#!/usr/bin/env bash
# tools/build_viewer.sh SOURCES OUT [NPM]: bundles viewer/ into OUT/page.html, and that as a C string into OUT/page.c.
# The packages (package-lock.json) are installed in OUT.  Without npm, or without packages, page.c contains no page, and
# `limber view` reports which packages to install.
set -euo pipefail
sources=$1 out=$2 npm=${3:-}
mkdir -p "$out"

no_page() {
    echo "no viewer page: $1" >&2
    printf 'extern const char *const cli_page;\nconst char *const cli_page = 0;\n' >"$out/page.c"
    rm -f "$out/page.html"
    exit 0
}

case $npm in '' | *NOTFOUND) no_page "npm is not installed" ;; esac
major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)
if [ "$major" -lt 18 ]; then no_page "Node.js 18 or newer is required"; fi

# packages are installed again only if their list changed
if ! cmp -s "$sources/package-lock.json" "$out/installed.json"; then
    cp "$sources/package.json" "$sources/package-lock.json" "$out/"
    if ! (cd "$out" && "$npm" ci --omit=dev --no-audit --no-fund --ignore-scripts --loglevel=error) >"$out/npm.log" 2>&1; then
        tail -n 5 "$out/npm.log" >&2
        no_page "npm cannot install its packages (no network?)"
    fi
    cp "$sources/package-lock.json" "$out/installed.json"
fi
node "$sources/build.mjs" "$sources" "$out"
