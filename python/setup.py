"""Builds a wheel that holds liblimber: that of $LIMBER_BUNDLE (tools/wheel.sh), or of the build beside the sources.

Without either the wheel takes the liblimber that is installed, if there is one.
"""

import ctypes
import os
import re
import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build"


def version():
    """The version of limber, from the file that says it."""
    for path in (HERE.parent / "CMakeLists.txt", HERE / "VERSION"):
        if path.exists():
            found = re.search(r"(?:VERSION )?(\d+\.\d+\.\d+)", path.read_text().split("project(", 1)[-1])
            if found:
                return found[1]
    sys.exit("the version of limber is not known: build in the folder python/ of its sources")


def installed():
    """Whether programs find liblimber by themselves."""
    try:
        ctypes.CDLL(os.environ.get("LIMBER_LIBRARY") or "liblimber.so.0")
    except OSError:
        return False
    return True


def bundle():
    """What goes into limber/lib: names and files."""
    folder = os.environ.get("LIMBER_BUNDLE")
    if folder:
        root = Path(folder)
        return {str(p.relative_to(root)): p for p in root.rglob("*") if p.is_file()}
    if (BUILD / "liblimber.so.0").exists():
        files = {"liblimber.so.0": BUILD / "liblimber.so.0", "limber_fmu.so": BUILD / "limber_fmu.so"}
        files["page.html"] = BUILD / "viewer" / "page.html"
        return {name: path for name, path in files.items() if path.exists()}
    if installed():
        return {}
    sys.exit(
        "liblimber was not found. Build it first (run `make` in the folder above python/), install it (`make install`), "
        "or name an installed one with LIMBER_LIBRARY=/path/to/liblimber.so"
    )


class BuildWithLibrary(build_py):
    """Copies the library into the package."""

    def run(self):
        super().run()
        for name, path in bundle().items():
            target = Path(self.build_lib) / "limber" / "lib" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)


class PlatformWheel(bdist_wheel):
    """One wheel for every Python 3 of this platform: the library is no extension module."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", os.environ.get("LIMBER_PLATFORM") or super().get_tag()[2]


class WithLibrary(Distribution):
    """Not only Python."""

    def has_ext_modules(self):
        return True


setup(
    version=version(),
    packages=["limber"],
    package_data={"limber": ["py.typed"]},
    cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel},
    distclass=WithLibrary,
)
