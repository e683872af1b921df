#!/usr/bin/env bash
# tools/picture.sh PAGE.html OUT.png WIDTHxHEIGHT [HASH]: a picture of a page of limber view, taken by Chromium.  HASH sets
# the initial state of the page (t=0.7&theme=dark&ui=scene).  Exit code 1 if Chromium is not installed.
set -euo pipefail
page=$(realpath "$1") out=$(realpath -m "$2") size=$3 hash=${4:-}
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
if [ -z "$chromium" ]; then exit 1; fi
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
shoot() { # retried twice if the browser hangs
    timeout 40 "$chromium" --headless --no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader --hide-scrollbars \
        --disable-dev-shm-usage --user-data-dir="$profile/$1" --window-size="${size/x/,}" --virtual-time-budget=4000 \
        --screenshot="$out" "file://$page${hash:+#$hash}" >"$profile/log" 2>&1
}
shoot 1 || shoot 2 || shoot 3 || { cat "$profile/log" >&2; exit 2; }
[ -s "$out" ]
