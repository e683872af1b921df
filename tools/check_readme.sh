#!/usr/bin/env bash
# tools/check_readme.sh [BUILD]: runs what README.md and docs/guide/*.md show, in a scratch copy of the tree (without sources
# and tests) with build/limber in PATH.  Blocks of one page share a folder and run in order.
#   ```sh           is run; a block whose first line is `# not run` is not; of `make x` only its existence is checked
#   ```yaml NAME    is saved as NAME, so that a block after it can use it; if it starts with `limber: 1` it is checked
#                   (a part: its modes are computed, a study without bodies is planned); ```csv NAME, ```bdf NAME and ```xml NAME are saved, too
#   ```c NAME.c     is compiled against the public headers and the static library, and run
#   ```python       is run, with the package limber of python/, if the modules that it imports are installed
#   ```output       each line must be part of what the last sh block printed (line breaks do not matter)
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
build=$(cd "${1:-build}" && pwd)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0
export LIMBER_CACHE=$scratch/cache

# split PAGE FOLDER: writes each block of these kinds as FOLDER/NNN and a line "NNN line kind name" to FOLDER/list
split_blocks() {
    awk -v folder="$2" '
        BEGIN { printf "" > (folder "/list") }
        !inside && /^```(sh|output|yaml|csv|bdf|xml|python|c)( |$)/ {
            inside = 1; id = sprintf("%03d", ++n); kind = substr($1, 4)
            print id, NR, kind, $2 > (folder "/list")
            printf "" > (folder "/" id); next
        }
        !inside && /^```/ { inside = 2; next }
        inside && /^```[ \t]*$/ { inside = 0; next }
        inside == 1 { print > (folder "/" id) }' "$1"
}

# commands that install, build or test are not run again; that their target exists is checked
prepare() {
    sed -E -e 's/^\$ //' \
        -e "s|^( *)make( .*)?\$|\1make -n -C '$root'\2 >/dev/null|" \
        -e 's/^ *(sudo |apt-get |git clone |cd limber).*/:/' "$1"
}

# the libraries that liblimber.a needs
static_libraries() {
    PKG_CONFIG_PATH=$build pkg-config --static --libs limber | sed 's/ -llimber / /'
}

run_c() { # BLOCK NAME: compiles and runs it
    cp "$1" "$2"
    # shellcheck disable=SC2046 # a list
    "${CC:-cc}" -std=c17 -Wall -Wextra -Wpedantic -Werror -Iinclude "$2" "$build/liblimber.a" $(static_libraries) -o "$2.out" &&
        "./$2.out"
}

# a Python that has the modules that a block imports, and those of the package
python_for() { # BLOCK
    local python modules
    modules=$(sed -nE 's/^import ([a-z0-9_]+).*/\1/p' "$1" | sed 's/^limber$/numpy/' | paste -sd,)
    for python in python3 /usr/bin/python3; do
        if $python -c "import ${modules:-sys}" 2>/dev/null; then echo $python; return; fi
    done
}

# BLOCK PRINTED: the lines of the block that were not printed
not_printed() {
    awk 'function squeezed(text) { gsub(/[ \t\n]+/, " ", text); gsub(/^ | $/, "", text); return text }
         NR == FNR { printed = printed " " $0; next }
         FNR == 1 { printed = squeezed(printed) }
         !index(printed, squeezed($0)) { print "not printed: " $0; bad = 1 }
         END { exit bad }' "$2" "$1"
}

count_block() { # PLACE STATUS
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1: exit code $2"
        sed 's/^/    /' "$scratch/log" | tail -n 30
    fi
}

shopt -s nullglob
for page in README.md docs/guide/*.md; do
    work=$scratch/work blocks=$scratch/blocks
    rm -rf "$work" "$blocks"
    mkdir -p "$work/build" "$blocks"
    tar -c --exclude=./{build,.git,src,tests,viewer} . | tar -x -C "$work"
    ln -sf "$build/limber" "$work/build/limber"
    split_blocks "$page" "$blocks"
    while read -r id line kind name; do
        status=0
        if [ "$kind" = csv ] || [ "$kind" = bdf ] || [ "$kind" = xml ]; then
            cp "$blocks/$id" "$work/$name"
            continue
        elif [ "$kind" = yaml ]; then
            if [ -n "$name" ]; then cp "$blocks/$id" "$work/$name"; fi
            if ! head -n 1 "$blocks/$id" | grep -q '^limber: 1'; then continue; fi
            cp "$blocks/$id" "$work/block.yaml"
            command=check
            if grep -q '^part:' "$blocks/$id"; then command=modes; fi
            # formulas of parameters need no bodies
            if grep -q '^study:' "$blocks/$id" && ! grep -q '^bodies:' "$blocks/$id"; then command='study --plan-only --sample random:8'; fi
            if grep -Eq '\.(geo|step)' "$blocks/$id" && ! command -v gmsh >/dev/null; then continue; fi
            (cd "$work" && timeout 60 "$build/limber" $command block.yaml) >"$scratch/log" 2>&1 || status=$?
        elif [ "$kind" = output ]; then
            not_printed "$blocks/$id" "$scratch/printed" >"$scratch/log" || status=$?
        elif [ "$kind" = c ]; then
            if [ -z "$name" ]; then continue; fi
            (cd "$work" && run_c "$blocks/$id" "$name") >"$scratch/log" 2>&1 || status=$?
        elif [ "$kind" = python ]; then
            python=$(python_for "$blocks/$id")
            if [ -z "$python" ]; then continue; fi
            (cd "$work" && PYTHONPATH=$root/python LIMBER_LIBRARY=$build/liblimber.so PYTHONDONTWRITEBYTECODE=1 \
                timeout 60 "$python" "$blocks/$id") >"$scratch/log" 2>&1 || status=$?
        else
            if head -n 1 "$blocks/$id" | grep -q '^# not run'; then continue; fi
            prepare "$blocks/$id" >"$scratch/block.sh"
            (cd "$work" && PATH=$build:$PATH timeout 120 bash -eu "$scratch/block.sh" </dev/null) >"$scratch/log" 2>&1 || status=$?
            cp "$scratch/log" "$scratch/printed"
        fi
        count_block "$page:$line" $status
    done <"$blocks/list"
done

echo "$passed passed, $failed failed"
[ $failed = 0 ]
