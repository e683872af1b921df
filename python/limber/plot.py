"""Curves: with matplotlib in Python, with gnuplot in files."""

from __future__ import annotations

import ctypes
import importlib
import os
from typing import Any, Dict, List, Optional, Sequence, Union

from . import _c

__all__ = ["plot", "plot_file"]

PathLike = Union[str, "os.PathLike[str]"]


def _matplotlib() -> Any:
    try:
        return importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise ImportError(
            "plot needs matplotlib, which is not installed: pip install matplotlib; plot_file draws into files with gnuplot"
        ) from None


def plot(
    analyses: Sequence[Any],
    patterns: Sequence[str] = (),
    against: Optional[str] = None,
    axes: Any = None,
    labels: Optional[Sequence[str]] = None,
    **options: Any,
) -> Any:
    """Draws columns over time (or another column) with matplotlib, one panel for each unit; returns the array of axes.

    Several analyses, also of several files, are overlaid; ``labels`` name them. Further keywords go to ``Axes.plot``.
    """
    pyplot = _matplotlib()
    first = analyses[0]
    table = {"response": "frequency", "campbell": "speed"}.get(first.type)  # their rows are not times
    against = against or table
    columns = [c for c in first.columns(*patterns) if c != against]
    panels: Dict[str, List[str]] = {}
    for c in columns:
        panels.setdefault(first.unit(c), []).append(c)
    if axes is None:
        _, axes = pyplot.subplots(len(panels), sharex=True, squeeze=False, constrained_layout=True)
        axes = axes[:, 0]
    for axis, (unit, group) in zip(axes, panels.items()):
        for k, a in enumerate(analyses):
            x = a[against] if against else a.time
            for c in group:
                label = c if labels is None else f"{c} {labels[k]}"
                axis.plot(x, a[c], **{"label": label, **options})
        axis.set_ylabel(f"{group[0] if len(group) == 1 else ''} [{unit}]" if unit else group[0])
        axis.legend()
        axis.grid(True, alpha=0.3)
    axes[-1].set_xlabel(f"{against} [{first.unit(against)}]" if against else "t [s]")
    return axes


def plot_file(
    path: PathLike,
    results: Sequence[Any],
    patterns: Sequence[str] = (),
    *,
    analysis: Optional[str] = None,
    title: Optional[str] = None,
    along: Sequence[str] = (),
    against: Optional[str] = None,
    shapes: Sequence[str] = (),
    frames: int = 0,
    plane: Optional[str] = None,
    functions: Optional[str] = None,
) -> None:
    """Draws curves of one or several results files into a file (.svg, .png, .pdf) with gnuplot, as ``limber plot``.

    ``along``: section forces along beams; ``shapes``: bodies as they deform, in a ``plane`` ("xy"); ``functions``: the shape
    functions of a beam.
    """
    files = (ctypes.c_char_p * len(results))(*(_c.path(getattr(r, "path", r)) for r in results))
    o = _c.struct(
        "lmb_plot_options",
        result_count=len(results),
        sensor_count=len(patterns),
        along_count=len(along),
        shape_count=len(shapes),
        frames=frames,
    )
    for name, value in (("analysis", analysis), ("title", title), ("against", against), ("plane", plane), ("functions", functions)):
        setattr(o, name, None if value is None else value.encode())
    keep = [files]
    lists = (("results", files), ("sensors", _c.texts(patterns)), ("along", _c.texts(along)), ("shapes", _c.texts(shapes)))
    for name, array in lists:
        if array is not None:
            keep.append(array)
            setattr(o, name, ctypes.cast(array, ctypes.POINTER(ctypes.c_char_p)))
    _c.call(_c.lib.lmb_plot_file, _c.path(path), ctypes.byref(o))
    del keep
