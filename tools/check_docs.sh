#!/usr/bin/env bash
# tools/check_docs.sh [BUILD]: makes the site (tools/docs.sh) and checks it: every link, anchor and picture inside it, that
# it loads nothing from elsewhere, its search, an interactive page for each example; and that every equation that the
# sources cite exists.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)

if ! tools/docs.sh "$build"; then
    echo "the site cannot be made"
    echo "0 passed, 1 failed"
    exit 1
fi
node "$build/site/check.mjs" . "$build/docs"
