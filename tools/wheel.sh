#!/usr/bin/env bash
# tools/wheel.sh: makes build/limber-VERSION-py3-none-PLATFORM.whl: the Python package with liblimber, in which all other libraries are
# linked, the module of FMUs, the page of the viewer and the licences.  It needs glibc, Python 3.9 and NumPy, nothing else, and contains no
# GPL code: meshes are factorised by liblimber's own, slower, method (docs/guide/python.md).
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --build build -j "${JOBS:-2}" --target limber_alone limber_fmu -- --quiet >&2
bundle=build/wheel/bundle
rm -rf build/wheel
mkdir -p $bundle/licences
cp -L build/alone/liblimber.so.0 build/limber_fmu.so $bundle/
if [ -e build/viewer/page.html ]; then cp build/viewer/page.html $bundle/; else echo "no page: the wheel cannot show results in a browser" >&2; fi
cp LICENSE $bundle/licences/limber
for package in libsuitesparse-dev libopenblas-dev liblapacke-dev libhdf5-dev libaec-dev libfyaml-dev zlib1g-dev gcc; do
    cp -L "/usr/share/doc/$package/copyright" "$bundle/licences/$package"
done
for licence in LGPL-2.1 GPL-3; do cp -L "/usr/share/common-licenses/$licence" $bundle/licences/; done # GPL-3: with the exception for libgfortran

# what it must not need, and which glibc it needs at least
needed=$(objdump -p $bundle/*.so* | awk '$1 == "NEEDED" { print $2 }' | sort -u | grep -vE '^(lib(c|m|dl|pthread)\.so|ld-linux)' || true)
if [ -n "$needed" ]; then echo "the library still needs: $needed" >&2; exit 1; fi
if nm -D --defined-only $bundle/liblimber.so.0 | grep -q cholmod; then echo "CHOLMOD is in the library" >&2; exit 1; fi
glibc=$(objdump -T $bundle/*.so* | grep -oE 'GLIBC_2\.[0-9]+' | sort -t. -k2 -n | tail -n 1)

python=${PYTHON:-/usr/bin/python3}
cp -r python build/wheel/python
rm -rf build/wheel/python/{tests,build,*.egg-info}
sed -n 's/^project(limber VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt >build/wheel/python/VERSION
(cd build/wheel/python && LIMBER_BUNDLE=$PWD/../bundle LIMBER_PLATFORM=manylinux_2_${glibc#GLIBC_2.}_$(uname -m) \
    "$python" -c 'import setuptools.build_meta as b; b.build_wheel(".")') >build/wheel/log 2>&1 || { cat build/wheel/log >&2; exit 1; }
rm -f build/limber-*.whl
cp build/wheel/python/limber-*.whl build/
ls build/limber-*.whl
