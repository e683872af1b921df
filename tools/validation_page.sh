#!/usr/bin/env bash
# tools/validation_page.sh: runs `build/limber validate` and writes its table as docs/validation.md.
# Exit code: that of `limber validate` (1: a case failed; the page is written all the same).  Comparisons with files of
# other programs need LIMBER_REFERENCE, else they stand as skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

status=0
# models with references of their own stand among the examples, too
mapfile -t examples < <(grep -l "^validation:" examples/*.yaml)
table=$(build/limber validate --markdown validation "${examples[@]}") || status=$?
if [ $status -gt 1 ]; then exit $status; fi
version=$(build/limber --version | head -n 1)

page=docs/validation.md
cat >$page.part <<END
# Validation

Written by \`make validate\` ($version): do not edit. Every case is a model or a part in \`validation/\` or \`examples/\`, with its references and
their tolerances; all are run again by \`limber validate\`, a single one by \`limber validate --case NAME\`. Differences
from a history in a file are the largest over all its rows, relative to the range of its values; ours and reference are
those where the difference is largest. Cases whose model says \`integrator: radau\` run with Radau IIA of order 5; the
default, generalized-alpha, is of second order and does not reach most of their limits at the same settings. The others
run with the default. Parts are finite elements: "reduced" and buckling are of the flexible body \`limber reduce\` makes,
all else is of the whole mesh. Why a reference is not met to more digits is said in the file of the case.

$table
END
mv $page.part $page
printf '%s\n' "$table"
echo "written to $page"
exit $status
