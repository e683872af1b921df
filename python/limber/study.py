"""Parameter studies: one run for each value, in processes of their own; measures of all runs as arrays."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Union

import numpy as np

from . import _c
from ._arrays import borrow
from ._parts import part_settings, settings
from .errors import Interrupted, LimberError
from .progress import Progress, Watch

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Study", "study"]

PathLike = Union[str, "os.PathLike[str]"]


def _model_file(model: Any) -> bytes:
    """Members read the model from its file."""
    if not hasattr(model, "to_yaml"):
        return _c.path(model)
    if model._edits or model._functions or model._drives or not os.path.exists(model._name):
        raise ValueError("a study needs a model that is a file: m.save('model.yaml'), then limber.load('model.yaml')")
    return _c.path(model._name)


def _pointer(array: Any) -> Any:
    return ctypes.cast(array, ctypes.POINTER(type(_c.struct("lmb_setting"))))


def _range(values: Any) -> str:
    """Values of a parameter: a text as on the command line, or a list."""
    return values if isinstance(values, str) else ", ".join(repr(v) for v in np.atleast_1d(values).tolist())


def study(
    model: Union[PathLike, "Model"],
    output: PathLike,
    vary: Optional[Mapping[str, Any]] = None,
    measures: Optional[Mapping[str, str]] = None,
    *,
    sample: Optional[str] = None,
    seed: Optional[int] = None,
    keep: Optional[str] = None,
    jobs: int = 0,
    run: bool = True,
    progress: Progress = None,
    **options: Any,
) -> "Study":
    """Plans a study and runs it, as ``limber study``; what is not given is what the section `study` of the model says.

    ``vary``: values of parameters, as texts ("1e3:1e5:20log", "normal(10, 2)") or lists; ``measures``: expressions over a run
    ("max(tip.y)"); ``sample``: "grid", "lhs:200", "sobol:256", ...; ``keep``: results files "none", "failed" or "all"; ``jobs``:
    processes, 0: one for each processor. A plan that is there already is continued by :meth:`Study.run` in place of this function.

    >>> import limber, tempfile, os
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "ball.yaml")
    >>> limber.Model('''
    ... limber: 1
    ... parameters: {g: 10}
    ... gravity: [0, 0, -g]
    ... bodies: {ball: {mass: 1, inertia: 1}}
    ... sensors: {ball: {type: position, of: ball}}
    ... analyses: [{type: dynamics, until: 1}]
    ... ''').save(path)
    >>> s = limber.study(path, os.path.join(folder.name, "study.h5"), {"g": [2, 4, 6]}, {"low": "min(ball.z)"}, jobs=2)
    >>> s["g"], s["low"].round(6)
    (array([2., 4., 6.]), array([-1., -2., -3.]))
    """
    varied = settings((k, _range(v)) for k, v in (vary or {}).items())
    measured = settings((measures or {}).items())
    with Watch(progress) as watch:
        how, kept = part_settings(watch, **options)
        o = _c.struct(
            "lmb_study_options",
            vary_count=len(varied) if varied is not None else 0,
            measure_count=len(measured) if measured is not None else 0,
            sample=None if sample is None else sample.encode(),
            seed=None if seed is None else str(seed).encode(),
            keep=None if keep is None else keep.encode(),
            command=b"limber for Python",
            parts=ctypes.pointer(how),
        )
        if varied is not None:
            o.vary = _pointer(varied)
        if measured is not None:
            o.measures = _pointer(measured)
        _c.call(_c.lib.lmb_study_plan, _c.path(output), _model_file(model), ctypes.byref(o))
        del kept
    watch.raise_errors()
    out = Study(output)
    return out.run(jobs, progress=progress, **options) if run else out


class Study:
    """A study file: ``s["k"]`` are the values of a parameter, ``s["peak"]`` those of a measure, one for each member."""

    def __init__(self, path: PathLike) -> None:
        self.path = os.fspath(path)
        self.refresh()

    def refresh(self) -> "Study":
        """Looks again at what members have left."""
        lib = _c.lib
        owner = _c.create(lib.lmb_study_open, lib.lmb_study_close, _c.path(self.path))
        p = owner.pointer
        n, np_, nm = lib.lmb_study_member_count(p), lib.lmb_study_parameter_count(p), lib.lmb_study_measure_count(p)
        #: names of parameters and measures
        self.parameters: List[str] = [_c.text(lib.lmb_study_parameter_name(p, j)) for j in range(np_)]
        self.measures: List[str] = [_c.text(lib.lmb_study_measure_name(p, j)) for j in range(nm)]
        #: "linear" or "log": the axis that suits a parameter
        self.scales = {k: _c.text(lib.lmb_study_parameter_scale(p, j)) for j, k in enumerate(self.parameters)}
        #: units of the measures
        self.units = {k: _c.text(lib.lmb_study_measure_unit(p, j)) for j, k in enumerate(self.measures)}
        #: members x parameters, members x measures; nan: there is no such number
        self.parameter_values = borrow(owner, lib.lmb_study_parameters(p), (n, np_))
        self.measure_values = borrow(owner, lib.lmb_study_measures(p), (n, nm))
        #: -1 not run, 0 done, 1 solver failure, 2 invalid input, 3 system error
        self.status = np.array([lib.lmb_study_status(p, k) for k in range(n)])
        #: of each run; nan: not run
        self.seconds = np.array([lib.lmb_study_seconds(p, k) for k in range(n)])
        #: of members that failed
        self.messages = [_c.text(lib.lmb_study_message(p, k)) for k in range(n)]
        #: "sobol", "morris" or "": indices of sensitivity, by measure, parameter and name
        self.method = _c.text(lib.lmb_study_method(p))
        count = lib.lmb_study_index_count(p) if self.method else 0
        #: names of the indices
        self.index_names = [_c.text(lib.lmb_study_index_name(p, i)) for i in range(count)]
        self.indices = borrow(owner, lib.lmb_study_indices(p) if count else None, (nm, np_, count))
        return self

    def __len__(self) -> int:
        return len(self.status)

    def __getitem__(self, name: str) -> Any:
        if name in self.parameters:
            return self.parameter_values[:, self.parameters.index(name)]
        if name in self.measures:
            return self.measure_values[:, self.measures.index(name)]
        raise KeyError(f"no parameter or measure '{name}'; there are {', '.join(self.parameters + self.measures)}")

    def sensitivity(self, measure: str) -> Dict[str, Dict[str, float]]:
        """Indices of a measure: ``s.sensitivity("peak")["k"]["total"]``."""
        if not self.method:
            raise KeyError("the study has no indices; use sample='sobol-indices:512' or 'morris:20'")
        rows = self.indices[self.measures.index(measure)]
        return {p: dict(zip(self.index_names, map(float, row))) for p, row in zip(self.parameters, rows)}

    def run(self, jobs: int = 0, *, progress: Progress = None, **options: Any) -> "Study":
        """Runs the members that have not been run, in processes of their own, and collects their measures."""
        with Watch(progress) as watch:
            parts, kept = part_settings(watch, **options)

            def told(user: Any, done: int, total: int, left: float) -> bool:
                return watch.tell(f"{done} of {total} runs", done / total if total else None)

            callback = _c.callback_type("lmb_study_how", "progress")(told)
            how = _c.struct("lmb_study_how", parts=ctypes.pointer(parts), jobs=jobs, progress=callback)
            try:
                _c.call(_c.lib.lmb_study_run, _c.path(self.path), ctypes.byref(how))
            except LimberError:
                self.refresh()
                if watch.interrupted:
                    raise Interrupted() from None
                watch.raise_errors()
                if not watch.stopped:
                    raise
            del kept
        watch.raise_errors()
        return self.refresh()

    def run_member(self, member: int) -> int:
        """Runs one member, 1 to the number of members, in this process; its status. For clusters and schedulers."""
        status = ctypes.c_int()
        _c.call(_c.lib.lmb_study_member, ctypes.byref(status), _c.path(self.path), member, None)
        return status.value

    def collect(self) -> str:
        """Puts what members have left into the file and its table NAME.csv; a summary."""
        summary = _c.take_text(_c.lib.lmb_study_collect, _c.path(self.path))
        self.refresh()
        return summary

    def frame(self) -> Any:
        """One row for each member, as a pandas DataFrame."""
        from .results import _need

        values = np.hstack([self.parameter_values, self.measure_values])
        out = _need("pandas", "a DataFrame").DataFrame(values, columns=self.parameters + self.measures)
        out.index = out.index + 1
        out.index.name = "member"
        return out.assign(status=self.status)

    def __repr__(self) -> str:
        done = int((self.status == 0).sum())
        return f"<limber.Study {self.path}: {done} of {len(self)} members done, {self.parameters} -> {self.measures}>"
