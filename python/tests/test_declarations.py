"""_declarations.py says what the headers say: a C compiler compares them."""

import ctypes
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from limber import _c
from limber import _declarations as declared

HEADERS = Path(os.environ.get("LIMBER_INCLUDE") or Path(__file__).resolve().parents[2] / "include")
NOT_USED = {  # functions of the headers that others of them cover
    "lmb_export_csv_file", "lmb_export_vtk_file", "lmb_export_glb_file", "lmb_export_mo_file", "lmb_export_sid_file", "lmb_export_fem_file", "lmb_export_mnf_file", "lmb_export_dmig_file", "lmb_export_op4_file", "lmb_import_body_file", "lmb_document_create",
    "lmb_system_create", "lmb_system_sensor_find", "lmb_system_input_find", "lmb_reader_path", "lmb_reader_has_table",
    "lmb_reader_time", "lmb_reader_titles", "lmb_study_size",
}  # fmt: skip


def structs():
    return re.findall(r"struct (\w+) \{(.*?)\};", _c._squeeze(declared.STRUCTS))


def program(**changed):
    """C that compiles if the headers declare the same; `changed` replaces a text, for the tests of this test."""
    text = {k: changed.get(k, getattr(declared, k)) for k in ("ENUMS", "CALLBACKS", "STRUCTS", "FUNCTIONS", "FE_FUNCTIONS")}
    lines = ["#include <limber/limber.h>", "#include <limber/files.h>", "#include <limber/fe.h>"]
    lines += [text["CALLBACKS"], text["FUNCTIONS"], text["FE_FUNCTIONS"]]
    for name, number in _c._values.items():
        lines.append(f"_Static_assert({name} == {number}, \"{name}\");")
    for k, (name, body) in enumerate(re.findall(r"struct (\w+) \{(.*?)\};", _c._squeeze(text["STRUCTS"]))):
        kind = _c._structs[name]
        lines.append(f"_Static_assert(sizeof({name}) == {ctypes.sizeof(kind)}, \"size of {name}\");")
        for line in _c._split(body, ";"):
            fields = [v[0] for v in _c._variables(line)]
            for field in fields:
                at = getattr(kind, field).offset
                lines.append(f"_Static_assert(offsetof({name}, {field}) == {at}, \"{name}.{field}\");")
                lines.append(f"extern __typeof__((({name} *)0)->{field}) c{k}_{field};")  # twice the same type
            lines.append("extern " + re.sub(rf"\b({'|'.join(fields)})\b(?=\s*(?:[,\[)]|$))", rf"c{k}_\1", line) + ";")
    return "\n".join(lines) + "\n"


def compiled(source, tmp_path):
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not (HEADERS / "limber" / "limber.h").exists():
        pytest.skip("no C compiler, or no headers")
    (tmp_path / "check.c").write_text(source)
    done = subprocess.run(
        [compiler, "-std=gnu17", "-Werror", "-fsyntax-only", f"-I{HEADERS}", "check.c"], cwd=tmp_path, capture_output=True, text=True
    )
    return done.returncode == 0, done.stderr


def test_declarations_are_those_of_the_headers(tmp_path):
    ok, errors = compiled(program(), tmp_path)
    assert ok, errors


@pytest.mark.parametrize(
    ("part", "right", "wrong"),
    [
        ("FUNCTIONS", "double lmb_simulation_time(const", "float lmb_simulation_time(const"),
        ("FUNCTIONS", "const char *body, const double *position7", "const double *position7, const char *body"),
        ("STRUCTS", "int version;", "long version;"),
        ("STRUCTS", "char file[256];", "char file[255];"),
        ("STRUCTS", "bool no_cache;", "int no_cache;"),
        ("CALLBACKS", "double until, bool output", "double until, int output"),
    ],
)
def test_a_wrong_declaration_is_found(part, right, wrong, tmp_path):
    text = _c._squeeze(getattr(declared, part))
    assert right in text
    ok, errors = compiled(program(**{part: text.replace(right, wrong)}), tmp_path)
    assert not ok and "error" in errors


def test_fields_that_change_places_are_found(tmp_path, monkeypatch):
    kind = _c._structs["lmb_error"]
    fields = [kind._fields_[0], kind._fields_[2], kind._fields_[1], *kind._fields_[3:]]
    monkeypatch.setitem(_c._structs, "lmb_error", type("lmb_error", (ctypes.Structure,), {"_fields_": fields}))
    ok, errors = compiled(program(), tmp_path)
    assert not ok and "lmb_error.line" in errors


def test_every_function_of_the_headers_is_declared():
    if not HEADERS.exists():
        pytest.skip("no headers")
    found = set()
    for header in ("limber.h", "files.h", "status.h", "fe.h"):
        text = re.sub(r"//[^\n]*", "", (HEADERS / "limber" / header).read_text())
        found |= set(re.findall(r"\b(lmb_\w+)\((?!\*)", text))
    ours = set(_c.prototypes(declared.FUNCTIONS)) | set(_c.prototypes(declared.FE_FUNCTIONS)) | NOT_USED
    assert found - ours == set()
    assert set(_c.prototypes(declared.FUNCTIONS)) <= found


def test_every_function_is_used():
    package = Path(_c.__file__).parent
    text = "".join(p.read_text() for p in package.glob("*.py") if p.name != "_declarations.py")
    assert [f for f in _c.prototypes(declared.FUNCTIONS) if f not in text] == []
