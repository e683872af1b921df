#!/usr/bin/env bash
# tools/deb.sh: builds Debian packages in build/deb from the release tarball, without npm and network, and checks them with lintian.  The
# unit tests are not run again.
set -euo pipefail
cd "$(dirname "$0")/.."
tarball=$PWD/$(tools/dist.sh)

rm -rf build/deb
mkdir build/deb
tar -xzf "$tarball" -C build/deb
cd build/deb/limber-*
version=$(sed -n 's/^project(limber VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
packaged=$(dpkg-parsechangelog -S Version)
if [ "$packaged" != "$version" ]; then
    echo "tools/deb.sh: debian/changelog has version $packaged, CMakeLists.txt $version: add an entry to debian/changelog" >&2
    exit 1
fi
if ! DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=${JOBS:-2}" dpkg-buildpackage -b -us -uc >../build.log 2>&1; then
    tail -n 40 ../build.log >&2
    exit 1
fi
cd ..
lintian --allow-root --fail-on error,warning limber_*.changes >&2
ls "$PWD"/*.deb
