#!/usr/bin/env bash
# tools/check_python.sh [BUILD]: the Python package with the library of a build: types (mypy), examples of docstrings, tests/ (pytest), the
# notebook; pip install ./python; the wheel, in an empty environment without anything that limber was built with.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/try.sh
build=$(cd "${1:-build}" && pwd)
root=$PWD skipped=0

python=
for candidate in python3 /usr/bin/python3; do
    if command -v $candidate >/dev/null && $candidate -c 'import numpy, pytest' 2>/dev/null; then python=$candidate; break; fi
done
if [ -z "$python" ]; then
    echo "no Python with NumPy and pytest: apt-get install python3-numpy python3-pytest"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
export LIMBER_CACHE=$scratch/cache OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg

# counted WHAT ARGUMENTS...: its counts are ours
counted() {
    local what=$1 line n
    shift
    if ! "$python" -m pytest -q -p no:cacheprovider -rs "$@" >"$scratch/log" 2>&1; then
        echo "$what:"
        tail -n 60 "$scratch/log" | sed 's/^/    /'
        failed=$((failed + 1))
    fi
    grep '^SKIPPED' "$scratch/log" || true
    line=$(tail -n 1 "$scratch/log")
    for n in passed failed skipped; do
        if [[ $line =~ ([0-9]+)\ $n ]] && [ $n != failed ]; then declare -g "$n=$((${!n} + BASH_REMATCH[1]))"; fi
    done
}

# ---- in the tree ---------------------------------------------------------------------------------

if command -v mypy >/dev/null; then
    try "mypy --strict" env -C python mypy --strict --no-incremental --cache-dir=/dev/null limber
else
    echo "mypy is not installed"
    skipped=$((skipped + 1))
fi
export PYTHONPATH=$root/python LIMBER_LIBRARY=$build/liblimber.so
counted "examples of docstrings" --doctest-modules python/limber
counted "tests" python/tests
if "$python" -c 'import nbconvert, ipykernel' 2>/dev/null; then
    try "the notebook in Jupyter" "$python" -m nbconvert --to notebook --execute --output-dir "$scratch" examples/notebook.ipynb
else
    skipped=$((skipped + 1)) # python/tests runs its cells
fi
unset PYTHONPATH LIMBER_LIBRARY

# ---- installed by pip ----------------------------------------------------------------------------

cat >"$scratch/use.py" <<'END'
import os, sys
import limber
m = limber.Model({"bodies": {"ball": {"mass": 1, "inertia": 1}}, "gravity": [0, 0, -10],
                  "sensors": {"ball": {"type": "position", "of": "ball"}}, "analyses": [{"type": "dynamics", "until": 1}]})
r = m.run("ball.h5")
assert abs(r["ball.z"][-1] + 5) < 1e-9, r["ball.z"][-1]
limber.reduce(limber.Model("limber: 1\npart: {type: beam, length: 0.3, section: {circle: 6 mm}, material: steel}"))
if "page" in sys.argv: assert len(r.view("ball.html").html) > 100000
if "fmu" in sys.argv: m.fmu("ball.fmu"); assert os.path.getsize("ball.fmu") > 1000000
if "alone" in sys.argv:  # nothing but the system's own libraries, and those of Python and NumPy
    print(limber.library_path())
    loaded = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
    assert limber.library_path().startswith(sys.prefix), limber.library_path()
    assert not [f for f in loaded if "hdf5" in f or "fyaml" in f or "klu" in f or "cholmod" in f], loaded
END

if "$python" -c 'import setuptools, wheel, pip, venv, ensurepip' 2>/dev/null; then
    try "an environment with NumPy" "$python" -m venv --system-site-packages "$scratch/tree"
    mkdir -p "$scratch/sources"
    cp -r python CMakeLists.txt "$scratch/sources" # pip builds in the folder itself
    try "no library: pip says what to do" sh -c "cd '$scratch' && ! LIMBER_LIBRARY=/nowhere tree/bin/pip install --no-index \
        --no-build-isolation --no-deps sources/python >said 2>&1 && { grep -q 'liblimber was not found. Build it first' said || { cat said; false; }; }"
    ln -s "$build" "$scratch/sources/build"
    try "pip install ./python" "$scratch/tree/bin/pip" install --no-index --no-build-isolation --no-deps "$scratch/sources/python"
    page=
    if [ -e "$build/viewer/page.html" ]; then page=page; fi
    try "pip install: used" env -C "$scratch" tree/bin/python use.py $page
else
    echo "no pip, venv, setuptools or wheel"
    skipped=$((skipped + 1))
fi

# ---- the notebook --------------------------------------------------------------------------------

if "$python" -c 'import nbconvert, ipykernel, matplotlib, pandas' 2>/dev/null; then
    try "the notebook, executed by nbconvert" env PYTHONPATH="$root/python" LIMBER_LIBRARY="$build/liblimber.so" \
        "$python" -m nbconvert --execute --to html --output-dir "$scratch" examples/notebook.ipynb
else
    echo "no nbconvert: the notebook's cells ran in plain Python only"
    skipped=$((skipped + 1))
fi

# ---- the wheel -----------------------------------------------------------------------------------

if [ -d "$scratch/tree" ] && [ -e build/limber_fmu.so ] && [ "$build" = "$root/build" ]; then
    try "make wheel" env PYTHON="$python" tools/wheel.sh
    wheel=$(ls build/limber-*-py3-none-manylinux_*.whl)
    try "an empty environment" "$python" -m venv --system-site-packages "$scratch/empty"
    try "the wheel installs without network and compiler" env -i "$scratch/empty/bin/python" -m pip install --no-index --no-deps "$wheel"
    try "the wheel: import, run, view, FMU without an environment" \
        env -i -C "$scratch" LIMBER_CACHE="$scratch/cache" empty/bin/python use.py alone $page fmu
    try "the wheel has licences and no GPL code" sh -c "'$python' -m zipfile -l '$wheel' | grep -q licences/LGPL-2.1 && ! '$python' -m zipfile -l '$wheel' | grep -q cholmod"
else
    echo "no wheel: static libraries, or pip, are missing"
    skipped=$((skipped + 1))
fi

if [ $skipped -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
    exit $((failed != 0))
fi
finish
