#!/usr/bin/env bash
# tools/check_format.sh [--fix]: checks the C sources with clang-format and lists files that differ, or formats them.
# The rules are those of clang-format 14; other versions format some constructs differently and are not used.
set -euo pipefail
cd "$(dirname "$0")/.."

format=
for name in clang-format-14 clang-format; do
    if command -v $name >/dev/null && $name --version | grep -q 'version 14\.'; then format=$name; break; fi
done
if [ -z "$format" ]; then
    echo "clang-format 14 is not installed: skipping the format check"
    if [ "${1:-}" = --fix ]; then exit 1; fi
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi

mapfile -t files < <(find src include tests bench examples -name '*.[ch]' 2>/dev/null | sort)
if [ "${1:-}" = --fix ]; then
    $format -i "${files[@]}"
    exit 0
fi

output=$($format --dry-run -Werror "${files[@]}" 2>&1) && status=0 || status=1
failed=0
while read -r places file; do
    failed=$((failed + 1))
    echo "$file: not formatted ($places places): run make format"
done < <(sed -nE 's/^([^:]+):[0-9]+:[0-9]+: error:.*/\1/p' <<<"$output" | sort | uniq -c)
if [ $status != 0 ] && [ $failed = 0 ]; then echo "$output" && failed=1; fi # it did not run
echo "$((${#files[@]} - failed)) passed, $failed failed"
[ $failed = 0 ]
