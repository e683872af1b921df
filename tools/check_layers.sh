#!/usr/bin/env bash
# tools/check_layers.sh: the rules between folders.
#   1 a file of src/ includes only its own folder and folders before it in the order below; fmi and cli only the public headers;
#     api also the plain declarations of FMI (fmi/fmi2.h, fmi/fmi3.h)
#   2 the library opens, looks at and removes files and starts programs in os alone (HDF5 files: in one file), never exits, and takes heap memory only through core
#   3 every public header compiles alone, as C17 and as C++17
#   4 src/ and include/ hold C files only: no leftovers of editors and patches
set -euo pipefail
cd "$(dirname "$0")/.."

# folders in layer order; those joined by commas are neighbours that do not include each other
order="core math linalg fe,cholmod,mumps mesh,reduce expr spec part measure model body,joint,force,signal system sensor solve registry os read store draw study api fmi cli"

passed=0 failed=0
complain() { echo "$1"; failed=$((failed + 1)); }

# FILE:LINE:TEXT of C without comments and without the contents of strings
strip() {
    awk '
    FNR == 1 { comment = 0 }
    {
        out = ""; n = length($0); quote = ""
        for (i = 1; i <= n; i++) {
            c = substr($0, i, 1); two = substr($0, i, 2)
            if (comment) { if (two == "*/") { comment = 0; i++ } continue }
            if (quote != "") {
                if (c == "\\") i++
                else if (c == quote) { quote = ""; out = out c }
                continue
            }
            if (two == "//") break
            if (two == "/*") { comment = 1; i++; continue }
            if (c == "\"" || c == "\047") quote = c
            out = out c
        }
        print FILENAME ":" FNR ":" out
    }' "$@"
}

# ---- 1: includes --------------------------------------------------------------------------------

mapfile -t files < <(find src -name '*.[ch]' | sort)
for file in "${files[@]}"; do
    before=$failed
    while IFS= read -r line; do complain "$line"; done < <(awk -v order="$order" -v file="$file" '
        BEGIN {
            n = split(order, layers, " ")
            for (i = 1; i <= n; i++) { m = split(layers[i], names, ","); for (j = 1; j <= m; j++) rank[names[j]] = i }
            split(file, path, "/"); own = path[2]
            if (!(own in rank)) print file ": folder src/" own " is not in the order of tools/check_layers.sh"
        }
        match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]*"/) {
            name = substr($0, RSTART, RLENGTH); sub(/^[^"]*"/, "", name); sub(/"$/, "", name)
            if (split(name, parts, "/") < 2) next # own folder
            other = parts[1]; place = file ":" FNR ": "
            if (other == own) next
            if (own == "api" && name ~ /^fmi\/fmi[23]\.h$/) next # declarations of a standard, which include nothing of ours
            if (own == "cli" || own == "fmi") print place own " includes \"" name "\"; it may use only the public headers <limber/...>"
            else if (!(other in rank)) print place "include of \"" name "\" from an unknown folder"
            else if (rank[other] == rank[own]) print place own " includes its neighbour \"" name "\""
            else if (rank[other] > rank[own]) print place own " includes \"" name "\" of a higher layer"
        }' "$file")
    if [ $failed = $before ]; then passed=$((passed + 1)); fi
done

# ---- 2: calls reserved to some folders --------------------------------------------------------------

code=$(strip "${files[@]}")
# forbid 'names of functions' 'folders or files that may' 'remedy'
forbid() {
    local names=$1 may=$2 remedy=$3 file line folder before=$failed
    while IFS=: read -r file line _; do
        folder=$(cut -d/ -f2 <<<"$file")
        case " $may cli fmi " in *" $folder "* | *" $file "*) continue ;; esac
        complain "$file:$line: $remedy"
    done < <(grep -E "(:|[^[:alnum:]_.>])($names)[[:space:]]*\(" <<<"$code" || true)
    if [ $failed = $before ]; then passed=$((passed + 1)); fi
}
forbid 'fopen|fopen64|freopen|fdopen|open|open64|openat|creat|popen|tmpfile|mkstemp|mkdtemp|opendir|fdopendir' 'os' 'only os opens files'
forbid 'stat|fstat|lstat|fstatat|access|faccessat|mkdir|mkdirat|rmdir|unlink|unlinkat|remove|rename|renameat|link|symlink|utimensat|realpath' \
    'os' 'only os looks at, names and removes files'
forbid 'H5Fopen|H5Fcreate|H5Fopen_async|H5Fcreate_async' 'src/store/h5.c' 'HDF5 opens files only in lmb_h5_open_file and lmb_h5_create_file'
forbid 'fork|vfork|execv|execvp|execve|posix_spawn|posix_spawnp|popen|system' 'os' 'only os starts programs'
forbid 'printf|vprintf|puts|putchar|perror|fprintf|vfprintf|fputs|fputc|putc|fwrite' 'os read store draw api' 'the library does not print'
forbid 'exit|_exit|_Exit|abort|quick_exit|system' 'src/os/workers.c' 'the library does not exit: return an lmb_status'
forbid 'malloc|calloc|realloc|free|strdup|strndup|asprintf|vasprintf|aligned_alloc|posix_memalign' core \
    'heap memory goes through lmb_alloc and lmb_free'

# ---- 3: public headers ----------------------------------------------------------------------------

warnings=(-Wall -Wextra -Wpedantic -Wshadow -Werror)
for header in include/limber/*.h; do
    for compile in "${CC:-cc} -std=c17 -x c" "${CXX:-c++} -std=c++17 -x c++"; do
        if ! command -v "${compile%% *}" >/dev/null; then echo "${compile%% *} is not installed: $header not checked"; continue; fi
        if echo "#include \"$header\"" | $compile "${warnings[@]}" -Iinclude -I. -fsyntax-only - 2>&1; then
            passed=$((passed + 1))
        else
            complain "$header does not compile alone (${compile% -x*})"
        fi
    done
done

# ---- 4: leftovers ---------------------------------------------------------------------------------

while IFS= read -r file; do complain "$file: not a source file"; done < <(find src include -type f ! -name '*.[ch]' ! -name '*.in' ! -name '*.map')
passed=$((passed + 1))

echo "$passed passed, $failed failed"
[ $failed = 0 ]
