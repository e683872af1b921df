#!/usr/bin/env bash
# tools/check_install.sh [BUILD]: installs into a scratch prefix; builds and runs programs against the installed libraries, shared and
# static, with pkg-config and with find_package; checks the manual page and completion.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/try.sh
build=$(cd "${1:-build}" && pwd)

prefix=$scratch/prefix
try "install" cmake --install "$build" --prefix "$prefix"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
export LIMBER_CACHE=$scratch/cache
limber=$prefix/bin/limber examples=$prefix/share/doc/limber/examples
model=$examples/pendulum.yaml part=$examples/parts/rod.yaml

# ---- what programs must print: what limber itself says -------------------------------------------

# its sensors at the last time, "name [unit] value" a line, and the frequencies of a part
try "program: run" "$limber" run -q "$model" -o "$scratch/run.h5"
try "program: export" "$limber" export "$scratch/run.h5" --analysis 1 -o "$scratch/run.csv"
if [ -e "$build/limber_fmu.so" ]; then
    try "program: fmu, with the module of lib/limber" "$limber" fmu -q "$model" -o "$scratch/run.fmu"
fi
try "program: modes" "$limber" modes "$part" -n 5 -q -o "$scratch/modes.csv"
# same_values PROGRAM: the first program of examples/cmake
same_values() {
    "$1" "$model" >"$scratch/values" && [ -s "$scratch/values" ] || return 1
    awk -F, 'NR == FNR && FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
             NR == FNR { n = split($0, last); next }
             { split($0, word, " "); name = word[1] " " word[2]; difference = last[column[name]] - word[3] }
             !(name in column) || n == 0 || difference > 1e-12 || difference < -1e-12 { print "wrong: " $0; bad = 1 }
             END { exit bad }' "$scratch/run.csv" "$scratch/values"
}
# same_frequencies PROGRAM: the second
same_frequencies() {
    diff <(awk -F, 'NR > 1 { printf "%.9g\n", $2 }' "$scratch/modes.csv") <("$1" "$part" | awk '{ printf "%.9g\n", $1 }')
}

# ---- programs ------------------------------------------------------------------------------------

# with_pkg_config KIND [--static]
with_pkg_config() {
    local cc=${CC:-cc} source=examples/cmake flags="-std=c17 -Wall -Werror" name
    for name in limber limber-fe; do try "$1 libraries: $name.pc" pkg-config --exists --print-errors $name; done
    try "$1 libraries, pkg-config: last_values" sh -c \
        "$cc $flags $source/last_values.c -o '$scratch/a' \$(pkg-config ${2:-} --cflags --libs limber)"
    try "$1 libraries, pkg-config: values" same_values "$scratch/a"
    try "$1 libraries, pkg-config: frequencies" sh -c \
        "$cc $flags $source/frequencies.c -o '$scratch/b' \$(pkg-config ${2:-} --cflags --libs limber-fe)"
    try "$1 libraries, pkg-config: frequencies agree" same_frequencies "$scratch/b"
    if pkg-config --exists limber-fe-mumps; then
        try "$1 libraries, pkg-config: frequencies by MUMPS" sh -c \
            "$cc $flags -Dlmb_fe_cholmod=lmb_fe_mumps -include limber/fe_mumps.h $source/frequencies.c -o '$scratch/d' \$(pkg-config ${2:-} --cflags --libs limber-fe-mumps)"
        try "$1 libraries, pkg-config: frequencies by MUMPS agree" same_frequencies "$scratch/d"
    fi
    try "$1 libraries, pkg-config: pendulum.c" sh -c \
        "$cc $flags examples/pendulum.c -o '$scratch/c' \$(pkg-config ${2:-} --cflags --libs limber) -lm && '$scratch/c'"
}
# with_cmake KIND OPTIONS...
with_cmake() {
    local kind=$1
    shift
    try "$kind libraries, find_package: configure" cmake -S "$examples/cmake" -B "$scratch/$kind" -DCMAKE_PREFIX_PATH="$prefix" "$@"
    try "$kind libraries, find_package: build" cmake --build "$scratch/$kind"
    try "$kind libraries, find_package: values" same_values "$scratch/$kind/last_values"
    try "$kind libraries, find_package: frequencies agree" same_frequencies "$scratch/$kind/frequencies"
}
# links PROGRAM LIBRARY: dynamically
links() { readelf -d "$1" | grep -q "NEEDED.*\[$2\.so"; }

with_cmake shared
try "limber::limber is shared" links "$scratch/shared/last_values" liblimber
with_cmake static -DSTATIC=ON
try "limber::limber_static is static" sh -c "! readelf -d '$scratch/static/frequencies' | grep -q 'NEEDED.*limber'"
with_pkg_config shared
rm -f "$prefix"/lib/liblimber*.so* # so that -llimber is the static one
with_pkg_config static --static

# ---- the program ---------------------------------------------------------------------------------

try "program: version" "$limber" --version
try "manual page and completion" tools/check_manual.sh "$prefix"

finish
