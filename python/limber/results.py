"""Results files: columns by name with units, modes, state spaces, events, while a run is in progress, too."""

from __future__ import annotations

import ctypes
import difflib
import fnmatch
import os
import re
import threading
import weakref
from types import TracebackType
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Type, Union

import numpy as np

from . import _c
from ._arrays import borrow, names
from .linear import StateSpace
from .progress import Progress

if TYPE_CHECKING:
    from .tools import Places

__all__ = ["AnalysisResults", "Event", "Modes", "Results", "Table"]

PathLike = Union[str, "os.PathLike[str]"]

# HDF5 refuses to continue a file that the same process has open: those are closed before, and opened again when they are used
_open_files: "weakref.WeakSet[Results]" = weakref.WeakSet()
_open_lock = threading.Lock()

# those that people look for first
_ORDER = ("sensors", "energies", "reactions", "forces", "correction", "response", "campbell")


class Event(NamedTuple):
    """Something that happened during a run."""

    time: float
    text: str


class Modes:
    """Modes about a state: one row each, sorted by undamped frequency."""

    #: Hz
    frequency: Any
    #: undamped, Hz
    natural: Any
    #: damping ratios
    damping: Any
    #: complex, 1/s
    eigenvalues: Any
    #: complex, modes x coordinates; the largest of each is 1
    shapes: Any
    #: names of the coordinates
    coordinates: List[str]

    def __init__(self, table: "Table", re: "Table", im: "Table") -> None:
        v = table.values
        self.frequency, self.natural, self.damping = v[:, 0], v[:, 1], v[:, 2]
        self.eigenvalues = v[:, 3] + 1j * v[:, 4]
        self.shapes = re.values + 1j * im.values
        self.coordinates = re.columns

    def __len__(self) -> int:
        return len(self.frequency)

    def __repr__(self) -> str:
        return f"<limber.Modes: {', '.join(f'{f:.4g}' for f in self.frequency[:6])}{' ...' if len(self) > 6 else ''} Hz>"


class Table:
    """A table of an analysis: ``t.columns``, ``t.units``, ``t.values`` (rows x columns), ``t["pin.fx"]``."""

    def __init__(self, analysis: "AnalysisResults", name: str) -> None:
        self.analysis, self.name = analysis, name
        self.columns: List[str] = []
        series = _c.struct("lmb_series")
        with analysis._reading() as r:
            try:
                _c.call(_c.lib.lmb_reader_columns, ctypes.byref(series), r, analysis._number, name.encode())
                self.columns = names(series.names, series.columns)
                units = names(series.units, series.columns)
            finally:
                _c.lib.lmb_series_free(ctypes.byref(series))
        self.units: Dict[str, str] = dict(zip(self.columns, units))

    @property
    def values(self) -> Any:
        """All rows, read from the file."""
        out = np.empty((self.analysis.rows, len(self.columns)))
        self.analysis._block(self.name, out)
        return out

    def __getitem__(self, column: str) -> Any:
        if column not in self.units:
            raise KeyError(_missing("column", column, self.columns))
        out = np.empty(self.analysis.rows)
        if not len(out):
            return out
        number = self.columns.index(column)
        with self.analysis._reading() as r:
            rows = _c.struct("lmb_row_range", first=0, count=len(out))
            _c.call(
                _c.lib.lmb_reader_column, out.ctypes.data, r, self.analysis._number, self.name.encode(), number, rows
            )
        return out

    def __repr__(self) -> str:
        return f"<limber table {self.name}: {self.analysis.rows} rows, {self.columns}>"


def _missing(kind: str, name: str, there: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, there, 1, 0.5)
    listed = ", ".join(there[:20]) + (" ..." if len(there) > 20 else "")
    return f"no {kind} '{name}'" + (f"; did you mean '{near[0]}'?" if near else f"; there are {listed or 'none'}")


def _numbered(pattern: str) -> str:
    """Brackets around a number are part of a name: link[3]."""
    return re.sub(r"\[(\d+)\]", r"[[]\1]", pattern)


class AnalysisResults:
    """The results of one analysis: columns by name, tables, events, statistics."""

    rows: int

    def __init__(self, results: "Results", number: int) -> None:
        self.results, self._number = results, number
        with results._reading() as r:
            self._generation = results._generation
            self.name = _c.text(_c.lib.lmb_reader_group_name(r, number))
            #: "dynamics", "modes", ...
            self.type = self._attribute(r, "type")
            #: "running", "done", "stopped", "failed", "waiting"
            self.status = self._attribute(r, "status")
            #: what there is to say of it
            self.text = self._attribute(r, "text")
            self.rows = int(_c.lib.lmb_reader_rows(r, number))
            count = _c.lib.lmb_reader_table_count(r, number)
            #: names of the tables
            self.tables = [_c.text(_c.lib.lmb_reader_table_name(r, number, k)) for k in range(count)]
        self._tables: Dict[str, Table] = {}
        self._columns: Optional[Dict[str, Tuple[Table, str]]] = None

    def _reading(self) -> "_Reading":
        return _Reading(self.results, self._generation)

    def _attribute(self, r: Any, name: str) -> str:
        return _c.text(_c.lib.lmb_reader_group_attribute(r, self._number, name.encode()))

    def _block(self, table: str, out: Any) -> None:
        if not out.size:
            return
        with self._reading() as r:
            rows = _c.struct("lmb_row_range", first=0, count=len(out))
            _c.call(_c.lib.lmb_reader_block, out.ctypes.data, r, self._number, table.encode(), rows)

    @property
    def time(self) -> Any:
        """Output times, s. Rows of `response` and `campbell` are not times: see :attr:`frequency` and the column "speed"."""
        out = np.empty(self.rows)
        self._block("time", out)
        return out

    @property
    def frequency(self) -> Any:
        """The frequencies of an analysis `response`, Hz."""
        return self.table("response")["frequency"]

    def table(self, name: str) -> Table:
        """A table: "sensors", "reactions", "forces", "energies", "q", ..."""
        if name not in self.tables:
            raise KeyError(_missing("table", name, self.tables))
        if name not in self._tables:
            self._tables[name] = Table(self, name)
        return self._tables[name]

    def _ordered(self) -> List[Table]:
        order = [t for t in _ORDER if t in self.tables]
        return [self.table(t) for t in (*order, *(t for t in self.tables if t not in order))]

    def _index(self) -> Dict[str, Tuple[Table, str]]:
        """Table and column by name; a name that an earlier table has gets its table before it: reactions.pin.fx."""
        if self._columns is None:
            self._columns = {}
            for t in self._ordered():
                for c in t.columns:
                    self._columns[f"{t.name}.{c}" if c in self._columns else c] = (t, c)
        return self._columns

    def columns(self, *patterns: str) -> List[str]:
        """Names of columns that match: "tip.x", "tip" (all of it), "pin.f*"; without patterns those of sensors and the like."""
        if not patterns:
            return [name for name, (t, _) in self._index().items() if t.name in _ORDER]
        out: List[str] = []
        for pattern in patterns:
            found = self._match(pattern)
            if not found:
                raise KeyError(self._nothing(pattern))
            out += [c for c in found if c not in out]
        return out

    def _match(self, pattern: str) -> List[str]:
        index = self._index()
        if pattern in index:
            return [pattern]
        shown = [name for name, (t, _) in index.items() if t.name in _ORDER]
        wanted = [_numbered(p) for p in (pattern, pattern + ".*") if any(c in p for c in "*?[")]
        for there in (shown, list(index)):
            for w in wanted:
                found = fnmatch.filter(there, w)
                if found:
                    return found
        return []

    def _nothing(self, pattern: str) -> str:
        elsewhere = [a.name for a in self.results.analyses if a._number != self._number and a._match(pattern)]
        if elsewhere:
            return f"no column '{pattern}' in {self.name}, but in {', '.join(elsewhere)}: r['{elsewhere[0]}']['{pattern}']"
        return _missing("column", pattern, list(self._index()))

    def _column(self, name: str) -> Any:
        table, column = self._index()[name]
        return table[column]

    def __getitem__(self, column: str) -> Any:
        found = self.columns(column)
        if found == [column]:
            return self._column(column)
        return np.stack([self._column(c) for c in found], axis=1)

    def __contains__(self, column: str) -> bool:
        return bool(self._match(column))

    def unit(self, column: str) -> str:
        """The unit of a column, "" if it has none."""
        if column not in self._index():
            raise KeyError(self._nothing(column))
        table, name = self._index()[column]
        return table.units[name]

    @property
    def units(self) -> Dict[str, str]:
        """Units of the columns of sensors and the like."""
        return {c: self.unit(c) for c in self.columns()}

    @property
    def stats(self) -> Dict[str, float]:
        """Statistics: steps, rejected, iterations, seconds, energy_drift, ..."""
        series = _c.struct("lmb_series")
        with self._reading() as r:
            try:
                _c.call(_c.lib.lmb_reader_stats, ctypes.byref(series), r, self._number)
                values = [float(v) for v in (ctypes.c_double * series.columns).from_address(series.v)] if series.v else []
                return dict(zip(names(series.names, series.columns), values))
            finally:
                _c.lib.lmb_series_free(ctypes.byref(series))

    @property
    def events(self) -> List[Event]:
        """What happened during the analysis."""
        series, texts = _c.struct("lmb_series"), ctypes.POINTER(ctypes.c_char_p)()
        with self._reading() as r:
            try:
                _c.call(_c.lib.lmb_reader_events, ctypes.byref(series), ctypes.byref(texts), r, self._number)
                times = (ctypes.c_double * series.rows).from_address(series.v) if series.rows else ()
                return [Event(float(t), text) for t, text in zip(times, names(texts, series.rows))]
            finally:
                _c.lib.lmb_names_free(texts)
                _c.lib.lmb_series_free(ctypes.byref(series))

    @property
    def modes(self) -> Modes:
        """The modes of an analysis `modes`."""
        if "shapes_re" not in self.tables:
            raise KeyError(f"{self.name} has no modes")
        return Modes(self.table("modes"), self.table("shapes_re"), self.table("shapes_im"))

    @property
    def state_space(self) -> StateSpace:
        """The state space of an analysis `linearise`."""
        l = _c.struct("lmb_linear_set")
        owner = _c.Owned(l, lambda p: _c.lib.lmb_linear_set_free(ctypes.byref(p)))
        with self._reading() as r:
            _c.call(_c.lib.lmb_reader_linear, ctypes.byref(l), r, self._number)
        out = StateSpace(owner, l, [kind + what for kind in ("state", "input", "output") for what in ("", "_unit")])
        out.output_error, out.zeros = borrow(owner, l.error, (l.outputs,)), borrow(owner, l.zeros, (l.zero_count, 4))
        return out

    def response(self, output: str, input: str) -> Any:
        """The complex answer of an output to an input in an analysis `response`, over :attr:`frequency`."""
        column = f"{output}/{input}"
        t = self.table("response")
        return t[column] * np.exp(1j * np.radians(t[column + ".phase"]))

    def frame(self, *patterns: str) -> Any:
        """Columns as a pandas DataFrame over time; units are in ``frame.attrs["units"]``."""
        pandas = _need("pandas", "a DataFrame")
        columns = self.columns(*patterns)
        index = pandas.Index(self.time, name="t")
        out = pandas.DataFrame({c: self._column(c) for c in columns}, index=index)
        out.attrs["units"] = {c: self.unit(c) for c in columns}
        return out

    def dataset(self, *patterns: str) -> Any:
        """Columns as an xarray Dataset over time, each with its unit in ``attrs``."""
        xarray = _need("xarray", "a Dataset")
        data = {c: ("t", self._column(c), {"units": self.unit(c)}) for c in self.columns(*patterns)}
        return xarray.Dataset(data, coords={"t": ("t", self.time, {"units": "s"})})

    def plot(self, *patterns: str, **options: Any) -> Any:
        """Draws columns with matplotlib; see :func:`limber.plot.plot`."""
        from .plot import plot

        return plot([self], patterns, **options)

    def __repr__(self) -> str:
        return f"<limber results {self.name}: {self.status}, {self.rows} rows>"


def _need(module: str, what: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(f"{what} needs {module}, which is not installed: pip install {module}") from None


class Results:
    """A results file, of a run that has ended, was killed, or is in progress.

    ``r["tip.x"]`` is a column, ``r["tip"]`` all columns of a sensor, ``r["02_modes"]`` or ``r["modes"]`` an analysis. Columns are
    those of the last analysis with a motion (:attr:`main`). What is shown is the file as it was when it was opened:
    :meth:`refresh` looks again.

    >>> import limber
    >>> m = limber.Model('''
    ... limber: 1
    ... gravity: [0, 0, -9.81]
    ... bodies: {ball: {mass: 1, inertia: 1, at: [0, 0, 2]}}
    ... sensors: {ball: {type: position, of: ball}}
    ... analyses: [{type: dynamics, until: 0.5, every: 0.1}]
    ... ''')
    >>> r = m.run()
    >>> r.time
    array([0. , 0.1, 0.2, 0.3, 0.4, 0.5])
    >>> r["ball.z"].round(4), r.unit("ball.z")
    (array([2.    , 1.951 , 1.8038, 1.5586, 1.2152, 0.7738]), 'm')
    >>> r["ball"].shape
    (6, 3)
    >>> r.analyses
    [<limber results 01_dynamics: done, 6 rows>]
    """

    def __init__(self, path: PathLike) -> None:
        self.path = os.fspath(path)
        self._lock = threading.RLock()
        self._owned: Optional[_c.Owned] = None
        self._closed = False
        self._generation = 0  # of the opened file, which analyses belong to
        self._folder: Any = None
        #: what the run had to say, if it was run from here
        self.summary = ""
        self.refresh()

    def refresh(self) -> "Results":
        """Opens the file again: what a run in progress has written since then."""
        with self._lock:
            self._closed = False
            self._owned = None
            self._owned = _c.create(_c.lib.lmb_reader_open, _c.lib.lmb_reader_close, _c.path(self.path))
            self._generation += 1
            self._analyses: Optional[List[AnalysisResults]] = None
        with _open_lock:
            _open_files.add(self)
        return self

    def close(self) -> None:
        """Closes the file; arrays that were read stay. Nothing needs to be closed: it is when nobody refers to it."""
        with self._lock:
            self._owned, self._closed = None, True

    def __enter__(self) -> "Results":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def _reading(self) -> "_Reading":
        return _Reading(self)

    @property
    def live(self) -> bool:
        """Whether a run was writing the file when it was opened."""
        with self._reading() as r:
            return bool(_c.lib.lmb_reader_live(r))

    @property
    def analyses(self) -> List[AnalysisResults]:
        """All analyses, in the order in which they ran."""
        with self._reading() as r:
            if self._analyses is None:
                count = _c.lib.lmb_reader_group_count(r)
                self._analyses = [AnalysisResults(self, g) for g in range(count)]
            return self._analyses

    @property
    def main(self) -> AnalysisResults:
        """The last analysis with rows that is a motion; if there is none, the last with rows."""
        rows = [a for a in self.analyses if a.rows] or self.analyses
        if not rows:
            raise KeyError("the file contains no analysis")
        motions = [a for a in rows if "q" in a.tables and "shapes_re" not in a.tables]
        return (motions or rows)[-1]

    def analysis(self, name: Union[str, int]) -> AnalysisResults:
        """An analysis by its number from 1, name ("01_dynamics") or type ("dynamics", if there is one of it)."""
        number = ctypes.c_int()
        with self._reading() as r:
            _c.call(_c.lib.lmb_reader_find_group, ctypes.byref(number), r, str(name).encode())
        return self.analyses[number.value]

    def _is_analysis(self, name: str) -> bool:
        return any(name in (a.name, a.type) for a in self.analyses)

    def __getitem__(self, name: Union[str, int]) -> Any:
        if isinstance(name, int) or self._is_analysis(name):
            return self.analysis(name)
        return self.main[name]

    def __contains__(self, name: str) -> bool:
        return self._is_analysis(name) or name in self.main

    def __iter__(self) -> Iterator[AnalysisResults]:
        return iter(self.analyses)

    # ---- of the main analysis ------------------------------------------------------------------

    @property
    def time(self) -> Any:
        """Output times, s."""
        return self.main.time

    def columns(self, *patterns: str) -> List[str]:
        """Names of columns; see :meth:`AnalysisResults.columns`."""
        return self.main.columns(*patterns)

    def unit(self, column: str) -> str:
        """The unit of a column."""
        return self.main.unit(column)

    @property
    def units(self) -> Dict[str, str]:
        """Units of the columns."""
        return self.main.units

    def frame(self, *patterns: str) -> Any:
        """Columns as a pandas DataFrame over time."""
        return self.main.frame(*patterns)

    def dataset(self, *patterns: str) -> Any:
        """Columns as an xarray Dataset over time."""
        return self.main.dataset(*patterns)

    @property
    def events(self) -> List[Event]:
        """What happened during the analysis."""
        return self.main.events

    @property
    def stats(self) -> Dict[str, float]:
        """Statistics of the analysis."""
        return self.main.stats

    @property
    def modes(self) -> Modes:
        """The modes of the last analysis `modes`."""
        return self._last("shapes_re", "modes").modes

    @property
    def state_space(self) -> StateSpace:
        """The state space of the last analysis that has one."""
        with self._reading() as r:
            for a in reversed(self.analyses):
                if _c.lib.lmb_reader_has_linear(r, a._number):
                    return a.state_space
        raise KeyError("the file has no state space; add {type: linearise} to `analyses`")

    def _last(self, table: str, what: str) -> AnalysisResults:
        for a in reversed(self.analyses):
            if table in a.tables:
                return a
        raise KeyError(f"the file has no {what}; add {{type: {what}}} to `analyses`")

    # ---- of the file ---------------------------------------------------------------------------

    def _text(self, name: str) -> str:
        with self._reading() as r:
            return _c.text(_c.lib.lmb_reader_text(r, name.encode()))

    @property
    def model_text(self) -> str:
        """The model as it was read."""
        return self._text("model")

    @property
    def version(self) -> str:
        """The version of limber that wrote the file."""
        return self._text("version")

    @property
    def command(self) -> str:
        """How the run was started."""
        return self._text("command")

    @property
    def parameters(self) -> Dict[str, float]:
        """Values of the model's parameters, in its units."""
        series = _c.struct("lmb_series")
        with self._reading() as r:
            try:
                _c.call(_c.lib.lmb_reader_parameters, ctypes.byref(series), r)
                values = (ctypes.c_double * series.columns).from_address(series.v) if series.columns else ()
                return dict(zip(names(series.names, series.columns), (float(v) for v in values)))
            finally:
                _c.lib.lmb_series_free(ctypes.byref(series))

    def describe(self) -> str:
        """The output of ``limber info``."""
        return _c.take_text(_c.lib.lmb_results_describe, _c.path(self.path))

    def chosen_model(self) -> str:
        """The model file with what the runs have chosen in place of `shapes: auto` and `parts: auto`."""
        return _c.take_text(_c.lib.lmb_results_model, _c.path(self.path))

    # ---- what can be made of it ----------------------------------------------------------------

    def plot(self, *patterns: str, **options: Any) -> Any:
        """Draws columns over time with matplotlib; see :func:`limber.plot.plot`."""
        return self.main.plot(*patterns, **options)

    def plot_file(self, path: PathLike, *patterns: str, **options: Any) -> None:
        """Draws curves into a file (.svg, .png, .pdf) with gnuplot; see :func:`limber.plot.plot_file`."""
        from .plot import plot_file

        plot_file(path, [self], patterns, **options)

    def view(self, path: Optional[PathLike] = None, **options: Any) -> Any:
        """The page with animation, curves and data, in the notebook or the browser; see :func:`limber.view.view`."""
        from .view import view

        return view(self, path, **options)

    def export(self, path: PathLike, *patterns: str, **options: Any) -> None:
        """Writes CSV, ParaView, glTF, ...; see :func:`limber.tools.export`."""
        from .tools import export

        export(self, path, *patterns, **options)

    def stress(self, **options: Any) -> "Places":
        """The places with the largest stresses; see :func:`limber.tools.stress`."""
        from .tools import stress

        return stress(self, **options)

    def life(self, **options: Any) -> "Places":
        """Fatigue damage; see :func:`limber.tools.life`."""
        from .tools import life

        return life(self, **options)

    def loads(self, path: PathLike, system: Any, progress: Progress = None, **options: Any) -> str:
        """Load cases for CalculiX and Abaqus; see :func:`limber.tools.loads`."""
        from .tools import loads

        return loads(self, path, system, progress=progress, **options)

    def __repr__(self) -> str:
        if self._closed:
            return f"<limber.Results {self.path}, closed>"
        return f"<limber.Results {self.path}: {', '.join(f'{a.name} {a.status}' for a in self.analyses)}>"


class _Reading:
    """The reader of a file, for one thread at a time."""

    def __init__(self, results: Results, generation: int = 0) -> None:
        self.results, self.generation = results, generation

    def __enter__(self) -> Any:
        r = self.results
        r._lock.acquire()
        try:
            if r._closed:
                raise ValueError(f"the results file '{r.path}' is closed")
            if r._owned is None:  # a run has continued it
                r.refresh()
            if self.generation not in (0, r._generation):
                raise ValueError(f"'{r.path}' was opened again since then; ask for the analysis anew: r.analyses")
            self.owned: Any = r._owned
        except BaseException:
            r._lock.release()
            raise
        return self.owned.pointer

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.results._lock.release()


def let_go(path: PathLike) -> None:
    """Closes what this process has open of a file that a run is going to continue."""
    with _open_lock:
        there = [r for r in _open_files if os.path.realpath(r.path) == os.path.realpath(path)]
    for r in there:
        with r._lock:
            r._owned = None
