"""What the commands of the program do: reduce, modes, export, stress, life, loads, fmu, validate, the cache, schema and reference."""

from __future__ import annotations

import csv
import ctypes
import json
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _c
from ._arrays import borrow
from ._parts import part_settings, settings, tell
from .body import Body
from .errors import Interrupted, LimberError
from .progress import Progress, Watch

if TYPE_CHECKING:
    from .model import Model
    from .results import Results
    from .system import System

__all__ = [
    "Comparison",
    "PartModes",
    "Places",
    "clear_cache",
    "export",
    "faces",
    "formats",
    "import_geometry",
    "import_robot",
    "life",
    "loads",
    "modes",
    "reduce",
    "reference",
    "schema",
    "stress",
    "validate",
]

PathLike = Union[str, "os.PathLike[str]"]
FileLike = Union[PathLike, "Results", "Body"]


def _file(results: Any) -> bytes:
    """The path of a results file, or of a Results or Body."""
    return _c.path(getattr(results, "path", results))


def _text(value: Any) -> Optional[bytes]:
    return None if value is None else str(value).encode()


@contextmanager
def _watched(progress: Progress) -> Iterator[Watch]:
    """Ctrl-C in a call that has nothing to keep is an exception."""
    with Watch(progress) as watch:
        try:
            yield watch
        except LimberError:
            if watch.interrupted:
                raise Interrupted() from None
            watch.raise_errors()
            raise
    watch.raise_errors()


# ---- parts -----------------------------------------------------------------------------------------


@contextmanager
def _part_file(part: Union[PathLike, "Model"]) -> Iterator[bytes]:
    """The file of a part; that of a model in memory is beside its file, where its paths start, or in a temporary folder."""
    if not hasattr(part, "to_yaml"):
        yield _c.path(part)
        return
    model: Any = part
    folder = os.path.dirname(model._name) or None
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", prefix=".limber-", dir=folder, encoding="utf-8") as file:
        file.write(model.to_yaml())
        file.flush()
        yield _c.path(file.name)


def reduce(
    part: Union[PathLike, "Model"],
    output: Optional[PathLike] = None,
    parameters: Optional[Mapping[str, Any]] = None,
    *,
    trust: bool = False,
    cache: bool = True,
    references: Optional[str] = None,
    progress: Progress = None,
    **keys: Any,
) -> Body:
    """Reduces a beam, a mesh or CAD geometry to a flexible body, as ``limber reduce``.

    ``part``: a part file, a mesh, geometry, or a :class:`limber.Model` with a section `part`. Further keywords are keys of the part:
    ``material="steel"``, ``unit="mm"``, ``element_size="5 mm"``, ``interfaces={"a": {"set": "left"}}``, ``shapes=["guyan"]``.
    Without ``output`` the body file is temporary.
    """
    folder = None if output is not None else tempfile.TemporaryDirectory(prefix="limber-")
    path = os.path.join(folder.name, "body.h5") if folder else os.fspath(output)  # type: ignore[arg-type]
    report = ctypes.c_char_p()
    with _watched(progress) as watch, _part_file(part) as file:
        given = {f"part.{k}": v for k, v in keys.items()}
        how, keep = part_settings(watch, trust, False, cache, references, parameters, given)
        _c.call(_c.lib.lmb_reduce_file, ctypes.byref(report), os.fsencode(path), file, ctypes.byref(how))
        _c.lib.lmb_text_release(report)
        del keep
    body = Body(path)
    body._folder = folder
    return body


class PartModes:
    """Natural frequencies of a part."""

    def __init__(self, found: Any) -> None:
        owner = _c.Owned(found, lambda p: _c.lib.lmb_modes_release(ctypes.byref(p)))
        #: Hz
        self.frequency = borrow(owner, found.frequency, (found.count,))
        #: effective fractions of mass (x, y, z) and inertia of each mode; None: the part is free
        self.effective = borrow(owner, found.effective, (found.count, 6)) if found.effective else None
        #: of the part, kg
        self.mass = float(found.mass)
        self.equations = int(found.equations)
        #: sizes and remarks
        self.summary = _c.text(found.summary)
        self._found = found
        self._owner = owner

    def save(self, path: PathLike) -> None:
        """The table as CSV."""
        _c.call(_c.lib.lmb_modes_write, _c.path(path), ctypes.byref(self._found), None)

    def __repr__(self) -> str:
        return f"<limber.PartModes: {', '.join(f'{f:.4g}' for f in self.frequency[:6])} Hz>"


def modes(
    part: Union[PathLike, "Model"],
    count: int = 0,
    max_frequency: float = 0.0,
    clamp: Sequence[str] = (),
    parameters: Optional[Mapping[str, Any]] = None,
    *,
    trust: bool = False,
    references: Optional[str] = None,
    progress: Progress = None,
    **keys: Any,
) -> PartModes:
    """Natural frequencies of a part, free or clamped, without reduction, as ``limber modes``.

    >>> import limber
    >>> bar = limber.Model("limber: 1\\npart: {type: beam, length: 1, section: {rectangle: [20 mm, 10 mm]}, material: steel}")
    >>> limber.modes(bar, 2, clamp=["start"]).frequency.round(1)
    array([ 8.4, 16.7])
    """
    found = _c.struct("lmb_modes")
    clamped = _c.texts(clamp)
    wanted = _c.struct("lmb_modes_wanted", count=count, max_frequency=max_frequency, clamp_count=len(clamp))
    if clamped is not None:
        wanted.clamp = ctypes.cast(clamped, ctypes.POINTER(ctypes.c_char_p))
    with _watched(progress) as watch, _part_file(part) as file:
        given = {f"part.{k}": v for k, v in keys.items()}
        how, keep = part_settings(watch, trust, False, True, references, parameters, given)
        _c.call(_c.lib.lmb_modes_file, ctypes.byref(found), file, ctypes.byref(wanted), ctypes.byref(how))
        del keep
    return PartModes(found)


@contextmanager
def _geometry(part: PathLike, trust: bool, references: Optional[str], progress: Progress, keys: Mapping[str, Any]) -> Iterator[Any]:
    found = ctypes.c_void_p()
    with _watched(progress) as watch:
        given = {f"part.{k}": v for k, v in keys.items()}
        how, keep = part_settings(watch, trust, False, True, references, None, given)
        _c.call(_c.lib.lmb_geometry_open, ctypes.byref(found), _c.path(part), ctypes.byref(how))
        del keep
    try:
        yield found
    finally:
        _c.lib.lmb_geometry_close(found)


def faces(
    part: PathLike,
    page: Optional[PathLike] = None,
    *,
    trust: bool = False,
    references: Optional[str] = None,
    progress: Progress = None,
    **keys: Any,
) -> Dict[str, Any]:
    """Solids and faces of a CAD file, a mesh (``unit="mm"``) or a part file, as ``limber faces --json``; ``page``: also the page with the
    numbers of the faces."""
    from .view import template

    with _geometry(part, trust, references, progress, keys) as g:
        text = _c.take_text(_c.lib.lmb_geometry_describe, g, _c.value("LMB_GEOMETRY_JSON"))
        if page is not None:
            _c.call(_c.lib.lmb_geometry_write, _c.path(page), g, template())
    return dict(json.loads(text))


def import_geometry(
    path: PathLike,
    part: PathLike,
    size: str = "5 mm",
    material: str = "steel",
    *,
    trust: bool = False,
    progress: Progress = None,
    **keys: Any,
) -> None:
    """Writes the solids of a CAD file as a model file, as ``limber import``."""
    with _geometry(part, trust, None, progress, keys) as g:
        _c.call(_c.lib.lmb_geometry_import, _c.path(path), g, _text(size), _text(material))


def clear_cache() -> int:
    """Clears the cache of reduced parts; the number of files that were removed."""
    count = ctypes.c_int()
    _c.call(_c.lib.lmb_cache_clear, ctypes.byref(count))
    return count.value


# ---- what is made of results -----------------------------------------------------------------------


def export(
    results: FileLike,
    path: PathLike,
    *patterns: str,
    analysis: Optional[str] = None,
    frames: int = 0,
    mode: int = 0,
    progress: Progress = None,
) -> None:
    """Writes results, or a body, in the format of the ending of ``path``; :func:`formats` lists them. ``patterns``: columns of CSV."""
    wanted = _c.texts(patterns)
    with _watched(progress) as watch:
        told = tell(watch)
        options = _c.struct(
            "lmb_export_options",
            analysis=_text(analysis),
            frames=frames,
            mode=mode,
            sensor_count=len(patterns),
            progress=told,
        )
        if wanted is not None:
            options.sensors = ctypes.cast(wanted, ctypes.POINTER(ctypes.c_char_p))
        _c.call(_c.lib.lmb_export_file, _c.path(path), _file(results), ctypes.byref(options))


def formats(use: str = "exports") -> str:
    """Formats of "exports", "parts" or "bodies", with the endings of their names."""
    return _c.text(_c.lib.lmb_format_list(_c.value(f"LMB_FORMATS_{use.upper()}")))


class Places(List[Dict[str, Any]]):
    """Rows of a table of places: dictionaries with the names of its columns; printed as people read it."""

    text: str = ""

    def __str__(self) -> str:
        return self.text


def _number(word: str) -> Any:
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            pass
    return word


def _places(write: Callable[[bytes], None], text: str) -> Places:
    with tempfile.TemporaryDirectory(prefix="limber-") as folder:
        path = os.path.join(folder, "places.csv")
        write(os.fsencode(path))
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
    out = Places(dict(zip(rows[0], map(_number, row))) for row in rows[1:])
    out.text = text
    return out


def stress(
    results: FileLike,
    *,
    analysis: Optional[str] = None,
    body: Optional[str] = None,
    count: int = 10,
    progress: Progress = None,
) -> Places:
    """The places of flexible bodies with the largest von Mises stress, one for each peak, as ``limber stress``."""
    with _watched(progress) as watch:
        told = tell(watch)
        o = _c.struct("lmb_stress_options", analysis=_text(analysis), body=_text(body), count=count, progress=told)
        text = _c.take_text(_c.lib.lmb_stress_table, _file(results), ctypes.byref(o))
        return _places(
            lambda path: _c.call(_c.lib.lmb_stress_csv_file, path, _file(results), ctypes.byref(o)),
            text,
        )


def life(
    results: FileLike,
    *,
    strength: float,
    cycles: float = 1e6,
    slope: float = 5.0,
    slope_below: Optional[float] = None,
    mean: Optional[str] = None,
    tensile: Optional[float] = None,
    analysis: Optional[str] = None,
    body: Optional[str] = None,
    count: int = 10,
    start: float = 0.0,
    page: Optional[PathLike] = None,
    progress: Progress = None,
) -> Places:
    """Fatigue damage, as ``limber life``: S-N line N = cycles (strength/S)^slope below S = strength, Pa, fully reversed.

    ``slope_below`` the knee: 2 slope - 1 unless given; ``mean``: "swt", "goodman" (with ``tensile``, Pa) or "none"; rows before
    ``start`` do not count. ``page``: also writes the damage of every node, as a page (.html) or for ParaView (.pvd).
    """
    from .view import template

    kinds = {"swt": "LMB_MEAN_SWT", "goodman": "LMB_MEAN_GOODMAN", "none": "LMB_MEAN_NONE"}
    kind = mean or ("goodman" if tensile is not None else "swt")
    if kind not in kinds:
        raise ValueError(f"mean = '{mean}': expected one of {sorted(kinds)}")
    if kind == "goodman" and tensile is None:
        raise ValueError("mean = 'goodman': give the tensile strength in Pa, for example tensile=600e6")
    line = _c.struct(
        "lmb_sn_line",
        strength=strength,
        cycles=cycles,
        slope=slope,
        slope_below=2 * slope - 1 if slope_below is None else slope_below,
        mean=_c.value(kinds[kind]),
        tensile=tensile or 0.0,
    )
    with _watched(progress) as watch:
        told = tell(watch)
        o = _c.struct("lmb_life_options", analysis=_text(analysis), body=_text(body), count=count, line=line, progress=told)
        setattr(o, "from", start)
        if page is not None and str(page).endswith(".html"):
            o.page = template()
        text = _c.take_text(_c.lib.lmb_life_table, _file(results), ctypes.byref(o))
        if page is not None:
            _c.call(_c.lib.lmb_life_file, _c.path(page), _file(results), ctypes.byref(o))
        return _places(lambda path: _c.call(_c.lib.lmb_life_file, path, _file(results), ctypes.byref(o)), text)


def loads(
    results: FileLike,
    path: PathLike,
    system: Union["System", "Model"],
    *,
    times: Sequence[float] = (),
    hot_spots: int = 0,
    body: Optional[str] = None,
    analysis: Optional[str] = None,
    progress: Progress = None,
) -> str:
    """Load cases of a flexible body made from a mesh of solids, for CalculiX and Abaqus, as ``limber loads``; lists the steps.

    ``system``: the model of the results.
    """
    given_model: Any = system
    compiled = given_model.system() if hasattr(given_model, "to_yaml") else given_model
    given = np.ascontiguousarray(times, dtype=np.float64)
    with _watched(progress) as watch:
        told = tell(watch)
        o = _c.struct(
            "lmb_load_options",
            analysis=_text(analysis),
            body=_text(body),
            times=given.ctypes.data if len(given) else None,
            time_count=len(given),
            hot_spots=hot_spots,
            progress=told,
        )
        pointer = compiled._handle().pointer
        return _c.take_text(_c.lib.lmb_loads_file, _c.path(path), pointer, _file(results), ctypes.byref(o))


# ---- functional mock-up units ----------------------------------------------------------------------


def _module() -> str:
    """limber_fmu.so beside liblimber (a build, a wheel), or in limber/ below its folder (installed)."""
    given = os.environ.get("LIMBER_FMU_MODULE")
    folder = Path(_c.library_path()).parent
    for path in [Path(given)] if given else [folder / "limber_fmu.so", folder / "limber" / "limber_fmu.so"]:
        if path.exists():
            return str(path)
    raise FileNotFoundError(
        f"cannot find limber_fmu.so, which goes into the FMU, beside '{folder}/liblimber.so'; it is built where the static "
        "libraries of HDF5, SuiteSparse, OpenBLAS, LAPACKE, libfyaml and zlib are installed"
    )


def write_fmu(
    model: "Model",
    path: PathLike,
    parameters: Optional[Mapping[str, Any]],
    version: int,
    kind: str,
    progress: Progress,
    options: Mapping[str, Any],
) -> None:
    """:meth:`limber.Model.fmu`."""
    if kind not in ("cs", "me", "both"):
        raise ValueError(f"kind = '{kind}': expected 'cs' (co-simulation), 'me' (model exchange) or 'both'")
    how_keys = ("trust", "allow_fmu", "cache", "references")
    given = settings([*(parameters or {}).items(), *((k, v) for k, v in options.items() if k not in how_keys)])
    document, functions = model._document()
    if functions:
        raise ValueError("a model with Python functions cannot be exported: an FMU needs no Python")
    o = _c.struct(
        "lmb_fmu_options",
        version=version,
        model_exchange=kind != "cs",
        co_simulation=kind != "me",
        binary=os.fsencode(_module()),
    )
    with _watched(progress) as watch:
        how, keep = part_settings(watch, **{k: options[k] for k in how_keys if k in options})
        count = len(given) if given is not None else 0
        _c.call(
            _c.lib.lmb_fmu_file, _c.path(path), document.pointer, given, count, ctypes.byref(how), ctypes.byref(o)
        )
        del keep


# ---- validation and reference ----------------------------------------------------------------------


class Comparison(NamedTuple):
    """One comparison of the section `validation` of a model."""

    case: str
    quantity: str
    source: str
    ours: float
    reference: float
    difference: float
    tolerance: float
    passed: bool
    skipped: bool


def validate(
    model: PathLike, *, references: Optional[str] = None, trust: bool = False, progress: Progress = None
) -> List[Comparison]:
    """Runs a model with a section `validation` and makes all its comparisons, as ``limber validate``."""
    out: List[Comparison] = []

    def told(user: Any, c: Any) -> None:
        values = ctypes.cast(c, ctypes.POINTER(type(_c.struct("lmb_comparison")))).contents
        texts: Any = [_c.text(getattr(values, k)) for k in ("case_name", "quantity", "source")]
        names = ("ours", "reference", "difference", "tolerance", "passed", "skipped")
        out.append(Comparison(*texts, *(getattr(values, k) for k in names)))

    with _watched(progress) as watch:
        how, keep = part_settings(watch, trust, False, True, references)
        callback = _c.lib.lmb_validate.argtypes[2](told)
        _c.call(_c.lib.lmb_validate, _c.path(model), ctypes.byref(how), callback, None)
        del keep
    return out


def import_robot(robot: PathLike, path: PathLike) -> None:
    """Writes a robot (``.urdf``, ``.xml``) as a model file, as ``limber import``."""
    document = _c.create(_c.lib.lmb_document_read_file, _c.lib.lmb_document_destroy, _c.path(robot))
    _c.call(_c.lib.lmb_document_write_file, _c.path(path), document.pointer)


def schema() -> str:
    """The JSON Schema of model files."""
    return _c.take_text(_c.lib.lmb_schema)


def reference() -> str:
    """All keys of model files, in Markdown."""
    return _c.take_text(_c.lib.lmb_reference)
