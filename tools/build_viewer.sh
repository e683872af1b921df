#!/usr/bin/env bash
# tools/build_viewer.sh SOURCES OUT WANTED: bundles viewer/ into OUT/page.html, and that as a C string into OUT/page.c, if
# anything changed since the last time.  The packages (package-lock.json) are installed in OUT.  If the page cannot be made,
# page.c holds the reason, for `limber view` to print, and the next build tries again.
set -euo pipefail
sources=$1 out=$2 wanted=$3
mkdir -p "$out"

# write FILE: standard input becomes FILE, which keeps its time if it has that content already
write() { cat >"$1.new"; if cmp -s "$1.new" "$1"; then rm "$1.new"; else mv "$1.new" "$1"; fi; }
no_page() {
    echo "no viewer page: $1" >&2
    rm -f "$out/page.html" "$out/made_from"
    printf 'extern const char *const cli_page, *const cli_page_missing;\nconst char *const cli_page = 0;\nconst char *const cli_page_missing = "%s";\n' \
        "$1" | write "$out/page.c"
    exit 0
}

if [ "$wanted" = 0 ]; then no_page "limber was configured without it (LMB_VIEWER=OFF)"; fi
made_from=$(cd "$sources" && find build.mjs package-lock.json src -type f -exec sha256sum {} + | LC_ALL=C sort | sha256sum)
if [ -s "$out/page.c" ] && [ "$made_from" = "$(cat "$out/made_from" 2>/dev/null)" ]; then exit 0; fi

command -v npm >/dev/null || no_page "npm is not installed (Debian: npm)"
major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)
if [ "$major" -lt 18 ]; then no_page "Node.js 18 or newer is needed, this is $(node --version 2>/dev/null || echo none)"; fi

# packages are installed again only if their list changed
if ! cmp -s "$sources/package-lock.json" "$out/installed.json"; then
    cp "$sources/package.json" "$sources/package-lock.json" "$out/"
    if ! (cd "$out" && npm ci --omit=dev --no-audit --no-fund --ignore-scripts --loglevel=error) >"$out/npm.log" 2>&1; then
        no_page "npm could not load its packages (is there a network? see viewer/npm.log in the build folder)"
    fi
    cp "$sources/package-lock.json" "$out/installed.json"
fi
node "$sources/build.mjs" "$sources" "$out"
echo "$made_from" >"$out/made_from"
