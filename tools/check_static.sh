#!/usr/bin/env bash
# tools/check_static.sh: builds the self-contained program and runs it in a root that contains only glibc.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/try.sh
tarball=$PWD/$(tools/static.sh)

# the root: three files of glibc, and the tarball as /limber
root=$scratch/root
mkdir -p "$root/tmp" "$root/proc" "$root/limber"
tar -xzf "$tarball" -C "$root/limber" --strip-components=1
loader=$(readelf -l build/static/limber | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
cp -L --parents "$loader" "$root/"
for name in libc.so.6 libm.so.6; do
    cp -L --parents "$(ldd build/static/limber | awk -v name=$name '$1 == name { print $3 }')" "$root/"
done
# in_root COMMAND...: with /proc, by which the loader finds the folder of the program
spaces=(--mount)
if [ "$(id -u)" != 0 ]; then spaces+=(--map-root-user); fi
in_root() {
    # shellcheck disable=SC2016
    env -i PATH="$PATH:/usr/sbin" HOME=/tmp unshare "${spaces[@]}" \
        sh -c 'mount --rbind /proc "$0/proc" && exec chroot "$0" "$@"' "$root" "$@"
}
if ! unshare "${spaces[@]}" true 2>/dev/null; then
    echo "namespaces are not allowed here: nothing was tried"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi

inside() { in_root /limber/bin/limber "$@"; }
try "version" inside --version
try "run" inside run -q /limber/share/doc/limber/examples/elastic_slider_crank.yaml -o /tmp/a.h5
try "view" inside view /tmp/a.h5 --no-open -o /tmp/a.html
try "fmu" inside fmu -q /limber/share/doc/limber/examples/pendulum.yaml -o /tmp/a.fmu
try "page" grep -q '<title>a.h5</title>' "$root/tmp/a.html"
try "export" inside export /tmp/a.h5 -o /tmp/a.csv
try "a solid mesh, by CHOLMOD" inside validate /limber/share/limber/validation/nafems_fv52.yaml
try "licences" test -s "$root/limber/share/doc/limber/licences/libmetis-dev"

finish
