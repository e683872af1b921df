#!/usr/bin/env bash
# tools/check_install.sh [BUILD]: installs into a scratch prefix and builds a small program with what pkg-config says,
# against the shared and the static library.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0
try() {
    local what=$1
    shift
    if "$@" >"$scratch/log" 2>&1; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1))
    echo "$what:"
    sed 's/^/    /' "$scratch/log" | tail -n 20
}

cat >"$scratch/main.c" <<'END'
#include <limber/status.h>
#include <stdio.h>
int main(void) {
    lmb_error err = {.code = LMB_ERR_INPUT, .text = "works"};
    char text[64];
    return puts(lmb_error_format(text, sizeof text, &err)) < 0;
}
END
prefix=$scratch/prefix
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
try "install" cmake --install "$build" --prefix "$prefix"
try "pkg-config" pkg-config --exists --print-errors limber
try "shared library" sh -c "${CC:-cc} '$scratch/main.c' -o '$scratch/a' \$(pkg-config --cflags --libs limber) && '$scratch/a'"
rm -f "$prefix"/lib/liblimber.so*
try "static library" sh -c "${CC:-cc} '$scratch/main.c' -o '$scratch/b' \$(pkg-config --cflags --libs --static limber) && '$scratch/b'"
if [ -x "$build/limber" ]; then try "program" "$prefix/bin/limber" --version; fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
