#!/usr/bin/env bash
# tools/validation_page.sh: runs `build/limber validate` and writes its output as docs/validation.md.
# Exit code: that of `limber validate` (1: a case failed; the page is written all the same).
set -euo pipefail
cd "$(dirname "$0")/.."

status=0
lines=$(build/limber validate) || status=$?
if [ $status -gt 1 ]; then exit $status; fi
version=$(build/limber --version | head -n 1)

page=docs/validation.md
cat >$page.part <<END
# Validation

Written by \`make validate\` ($version): do not edit. Every case is run again by \`limber validate\`,
a single one by \`limber validate --case NAME\`. The sources of the reference values stand with the cases in
\`tests/cases/\`.

\`\`\`text
$lines
\`\`\`
END
mv $page.part $page
printf '%s\n' "$lines"
echo "written to $page"
exit $status
