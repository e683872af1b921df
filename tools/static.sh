#!/usr/bin/env bash
# tools/static.sh: makes build/limber-VERSION-SYSTEM.tar.gz: the program with all libraries linked statically except glibc and METIS (Debian
# has no static METIS; the shared one is included), with docs, examples and the licences of the libraries.  Runs on any Linux whose glibc
# is not older than that of the machine it is built on.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ ! -f build/static/build.ninja ]; then
    page=build/viewer/page.c # one page for all builds
    # no IDA: Debian's archives of SUNDIALS come with MPI
    cmake -S . -B build/static -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Release -DLMB_STATIC=ON -DLMB_SUNDIALS=OFF -DLMB_MUMPS=OFF \
        -DLMB_VIEWER_PAGE="$([ ! -f $page ] || realpath $page)" >&2
fi
cmake --build build/static -j "${JOBS:-2}" --target limber manual -- --quiet >&2

version=$(sed -n 's/^project(limber VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=limber-$version-$(uname -m)-linux
folder=build/static/$name
rm -rf "$folder"
cmake --install build/static --component program --strip --prefix "$folder" >/dev/null
mkdir -p "$folder/lib"

# shared libraries other than those of glibc
while read -r library; do cp -L "$library" "$folder/lib/"; done < <(ldd build/static/limber |
    awk '$2 == "=>" && $1 !~ /^lib(c|m|dl|pthread)\.so/ { print $3 }')

# licences of the libraries
licences=$folder/share/doc/limber/licences
mkdir -p "$licences"
for package in libsuitesparse-dev libmetis-dev libopenblas-dev liblapacke-dev libhdf5-dev libaec-dev libfyaml-dev zlib1g-dev gcc; do
    cp -L "/usr/share/doc/$package/copyright" "$licences/$package"
done
for licence in GPL-2 GPL-3 LGPL-2.1 Apache-2.0; do cp -L "/usr/share/common-licenses/$licence" "$licences/"; done

tar -czf "build/$name.tar.gz" --owner=0 --group=0 -C build/static "$name"
echo "build/$name.tar.gz"
