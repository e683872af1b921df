"""Compiled models."""

from __future__ import annotations

import ctypes
import os
import tempfile
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional, Union

from . import _c
from ._parts import part_settings, settings
from .errors import Interrupted, LimberError, SystemFailure
from .progress import Progress, Watch

if TYPE_CHECKING:
    from .model import Model
    from .results import Results
    from .simulation import Simulation

__all__ = ["Analysis", "Input", "System"]


class Input(NamedTuple):
    """A number that is set from outside, in the model's units."""

    name: str
    unit: str
    start: float
    min: float
    max: float


class Analysis(NamedTuple):
    """An entry of ``analyses``: its type, and its end time in s."""

    type: str
    until: float


class System:
    """A compiled model, constant: threads may share it, each with simulations of its own.

    >>> import limber
    >>> m = limber.Model({"bodies": {"ball": {"mass": 1, "inertia": 1}}, "gravity": [0, 0, -9.81],
    ...                   "sensors": {"ball": {"type": "position", "of": "ball"}}, "analyses": [{"type": "dynamics", "until": 1}]})
    >>> s = m.system()
    >>> s.sensors
    ['ball.x', 'ball.y', 'ball.z']
    >>> sim = s.simulation()
    >>> sim.begin()
    >>> sim.advance(1.0)
    True
    >>> round(sim["ball.z"], 6)
    -4.905
    """

    def __init__(
        self,
        model: "Model",
        parameters: Optional[Mapping[str, Any]] = None,
        *,
        trust: bool = False,
        allow_fmu: bool = False,
        cache: bool = True,
        references: Optional[str] = None,
        progress: Progress = None,
        **more: Any,
    ) -> None:
        """``parameters`` and further keywords are values of the model's parameters: numbers, or expressions of others.

        ``trust``: run .geo scripts that may start programs; ``allow_fmu``: run the binaries of the model's `fmus`;
        ``cache``: use the cache of reduced parts; ``references``: the folder of paths that begin with $LIMBER_REFERENCE.
        """
        document, functions = model._document()
        given = settings([*(parameters or {}).items(), *more.items()])
        with Watch(progress, functions) as watch:
            how, keep = part_settings(watch, trust, allow_fmu, cache, references)
            try:
                self._owned: Optional[_c.Owned] = _c.create(
                    _c.lib.lmb_system_create_with,
                    _c.lib.lmb_system_destroy,
                    document.pointer,
                    given,
                    len(given) if given is not None else 0,
                    ctypes.byref(how),
                    keep=(document, functions),
                )
            except SystemFailure as error:
                if watch.interrupted:
                    raise Interrupted() from None
                watch.raise_errors()
                raise error
        watch.raise_errors()
        self._functions = functions
        self._numbers = {name: i for i, name in enumerate(self.sensors)}
        self._input_numbers = {x.name: i for i, x in enumerate(self.inputs)}

    def _handle(self) -> _c.Owned:
        if self._owned is None:
            raise ValueError("the system is closed")
        return self._owned

    def close(self) -> None:
        """Releases the system as soon as its simulations are gone, too. Nothing needs to be closed: it is when nobody refers to it."""
        self._owned = None

    def report(self) -> str:
        """The report of ``limber check``."""
        report = _c.take_text(_c.lib.lmb_system_report, self._handle().pointer)
        self._raise()
        return report

    def _raise(self) -> None:
        from ._callback import raise_error

        raise_error(self._functions)

    # ---- what it has ---------------------------------------------------------------------------

    @property
    def sensors(self) -> List[str]:
        """Names of all columns of sensors."""
        p = self._handle().pointer
        return [_c.text(_c.lib.lmb_system_sensor_name(p, i)) for i in range(_c.lib.lmb_system_sensor_count(p))]

    @property
    def units(self) -> Dict[str, str]:
        """Units of the columns of sensors."""
        p = self._handle().pointer
        return {name: _c.text(_c.lib.lmb_system_sensor_unit(p, i)) for i, name in enumerate(self.sensors)}

    @property
    def outputs(self) -> List[str]:
        """The columns of section `outputs`; without it all sensors."""
        p, names = self._handle().pointer, self.sensors
        return [names[_c.lib.lmb_system_output(p, i)] for i in range(_c.lib.lmb_system_output_count(p))]

    @property
    def inputs(self) -> List[Input]:
        """Section `inputs`."""
        p, out = self._handle().pointer, []
        for i in range(_c.lib.lmb_system_input_count(p)):
            start, least, most = ctypes.c_double(), ctypes.c_double(), ctypes.c_double()
            _c.lib.lmb_system_input_range(ctypes.byref(start), ctypes.byref(least), ctypes.byref(most), p, i)
            name, unit = _c.lib.lmb_system_input_name(p, i), _c.lib.lmb_system_input_unit(p, i)
            out.append(Input(_c.text(name), _c.text(unit), start.value, least.value, most.value))
        return out

    @property
    def parameters(self) -> Dict[str, float]:
        """Values of the parameters, in the model's units."""
        p = self._handle().pointer
        names = [_c.text(_c.lib.lmb_system_parameter_name(p, i)) for i in range(_c.lib.lmb_system_parameter_count(p))]
        return {name: float(_c.lib.lmb_system_parameter(None, p, i)) for i, name in enumerate(names)}

    def parameter_use(self, name: str) -> str:
        """"": the parameter may change during a motion (:meth:`Simulation.continue_from`); else the key that does not let it."""
        names = list(self.parameters)
        if name not in names:
            raise KeyError(_unknown("parameter", name, names))
        p, use = self._handle().pointer, ctypes.create_string_buffer(256)
        free = _c.lib.lmb_system_parameter_tunable(use, len(use), p, names.index(name))
        return "" if free else _c.text(use.value)

    @property
    def analyses(self) -> List[Analysis]:
        """The analyses, in the order in which they run."""
        p, lib = self._handle().pointer, _c.lib
        return [
            Analysis(_c.text(lib.lmb_system_analysis_type(p, i)), float(lib.lmb_system_analysis_until(p, i)))
            for i in range(lib.lmb_system_analysis_count(p))
        ]

    def _sensor(self, name: str) -> int:
        try:
            return self._numbers[name]
        except KeyError:
            raise KeyError(_unknown("sensor", name, list(self._numbers))) from None

    def _input(self, name: str) -> int:
        try:
            return self._input_numbers[name]
        except KeyError:
            raise KeyError(_unknown("input", name, list(self._input_numbers))) from None

    def _analysis(self, analysis: Union[int, str]) -> int:
        """An analysis by its number from 0, or by its type."""
        types = [a.type for a in self.analyses]
        if isinstance(analysis, str):
            if types.count(analysis) != 1:
                raise KeyError(f"{types.count(analysis)} analyses have the type '{analysis}'; use a number from 0: {types}")
            return types.index(analysis)
        if not 0 <= analysis < len(types):
            raise IndexError(f"the model has {len(types)} analyses, but no analysis {analysis}; they are counted from 0")
        return analysis

    # ---- running -------------------------------------------------------------------------------

    def simulation(self, threads: int = 1) -> "Simulation":
        """A state of this system, at its initial conditions, that can be stepped, driven and watched."""
        from .simulation import Simulation

        return Simulation(self, threads)

    def run(
        self,
        output: Optional[Union[str, "os.PathLike[str]"]] = None,
        *,
        resume: bool = False,
        error_bars: bool = False,
        threads: int = 0,
        progress: Progress = None,
    ) -> "Results":
        """Runs all analyses into a results file; see :meth:`limber.Model.run`."""
        from .results import let_go

        system = self._handle()
        folder = None if output is not None else tempfile.TemporaryDirectory(prefix="limber-")
        path = os.path.join(folder.name, "results.h5") if folder else os.fspath(output)  # type: ignore[arg-type]
        let_go(path)
        summary = ctypes.c_char_p()
        with Watch(progress, self._functions) as watch:

            def told(user: Any, analysis: bytes, time: float, until: float, seconds: float, note: Optional[bytes]) -> bool:
                done = time / until if until > 0 else None
                return watch.tell(f"{_c.text(analysis)}  t = {time:.4g} of {until:.4g} s", done)

            callback = _c.callback_type("lmb_run_options", "progress")(told)
            options = _c.struct(
                "lmb_run_options",
                output=os.fsencode(path),
                command=b"limber for Python",
                resume=resume,
                error_bars=error_bars,
                threads=threads,
                progress=callback,
            )
            try:
                _c.call(_c.lib.lmb_run_file, ctypes.byref(summary), system.pointer, ctypes.byref(options))
            except LimberError as error:
                text = _taken(summary)
                error.results = self._opened(path, folder, text)
                if watch.interrupted:
                    interrupted = Interrupted(error.message)
                    interrupted.results = error.results
                    raise interrupted from None
                watch.raise_errors()
                if watch.stopped and error.results is not None:
                    return error.results
                raise
        watch.raise_errors()
        return self._open(path, folder, _taken(summary))

    @staticmethod
    def _open(path: str, folder: Any, summary: str) -> "Results":
        from .results import Results

        results = Results(path)
        results.summary, results._folder = summary, folder
        return results

    def _opened(self, path: str, folder: Any, summary: str) -> Optional["Results"]:
        try:
            return self._open(path, folder, summary)
        except LimberError:
            return None

    def __repr__(self) -> str:
        return f"<limber.System: {len(self._numbers)} sensors, {[a.type for a in self.analyses]}>"


def _taken(text: Any) -> str:
    out = _c.text(text.value)
    _c.lib.lmb_text_release(text)
    return out


def _unknown(kind: str, name: str, names: List[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, names, 1)
    return f"no {kind} '{name}'" + (f"; did you mean '{near[0]}'?" if near else f"; there are {names or 'none'}")
