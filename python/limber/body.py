"""Flexible bodies: body files as arrays."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterator, List, Union

from . import _c
from ._arrays import borrow

__all__ = ["Body"]

_STRESS = ("none", "solid", "shell", "beam")


class Body:
    """A flexible body, from a body file: mass and stiffness matrices, shapes, invariants, stress of modes as arrays.

    All arrays of docs/guide/flexible-body-file.md are items and attributes: ``b.K``, ``b["marker_S"]``. They look into the
    library's memory, without a copy, and cannot be written.

    >>> import limber, numpy as np
    >>> b = limber.reduce(limber.Model("limber: 1\\npart: {type: beam, length: 0.3, section: {circle: 6 mm}, material: steel}"))
    >>> b.K.shape == b.mass_matrix.shape == (b.coordinates, b.coordinates)
    True
    >>> print(f"{b.mass:.4f} kg, {b.markers}")
    0.0666 kg, ['start', 'end']
    >>> b.unit("K")
    'N/m'
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = os.fspath(path)
        lib = _c.lib
        owner = _c.create(lib.lmb_body_file_open, lib.lmb_body_file_close, _c.path(path))
        p = owner.pointer
        self._folder: Any = None
        #: its name in the file
        self.name = _c.text(lib.lmb_body_file_name(p))
        #: names of its markers: the first index of ``marker_x``, ``marker_S``, ...
        self.markers = [_c.text(lib.lmb_body_file_marker(p, i)) for i in range(lib.lmb_body_file_marker_count(p))]
        #: what the stresses are those of: "none", "solid", "shell", "beam"
        self.stress_kind = _STRESS[lib.lmb_body_file_stress_kind(p)]
        #: quality of the reduction, shape functions kept and dropped, sources and settings
        self.report, self.shapes, self.provenance = (
            _c.text(lib.lmb_body_file_text(p, k)) for k in (b"report", b"shapes", b"provenance")
        )
        self._arrays: Dict[str, Any] = {}
        self._units: Dict[str, str] = {}
        self._docs: Dict[str, str] = {}
        for i in range(lib.lmb_body_file_array_count(p)):
            a = lib.lmb_body_file_array(p, i).contents
            name, integers = _c.text(a.name), bool(a.integers)
            shape = tuple(a.size[k] for k in range(a.rank))
            self._arrays[name] = borrow(owner, a.integers if integers else a.numbers, shape, integers)
            self._units[name], self._docs[name] = _c.text(a.unit), _c.text(a.doc)
        set_names = [_c.text(lib.lmb_body_file_set(p, i)) for i in range(lib.lmb_body_file_set_count(p))]
        #: node indices of the sets of the mesh, by name
        self.sets: Dict[str, Any] = {}
        at = 0
        for name, size in zip(set_names, self._arrays["set_size"] if set_names else ()):
            self.sets[name] = self._arrays["set_node"][at : at + size]
            at += size

    def __getitem__(self, name: str) -> Any:
        try:
            return self._arrays[name]
        except KeyError:
            raise KeyError(f"the body file has no '{name}'; it has {', '.join(self._arrays)}") from None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._arrays:
            raise AttributeError(f"the body file has no '{name}'")
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def __dir__(self) -> List[str]:
        return [*object.__dir__(self), *self._arrays]

    def unit(self, name: str) -> str:
        """The unit of an array."""
        return self._units[name]

    def doc(self, name: str) -> str:
        """What an array means."""
        return self._docs[name]

    @property
    def coordinates(self) -> int:
        """The number of elastic coordinates."""
        return len(self._arrays["K"])

    @property
    def mass(self) -> float:
        """kg"""
        return float(self._arrays["I1"][0])

    @property
    def mass_matrix(self) -> Any:
        """Of the elastic coordinates: I6."""
        return self._arrays["I6"]

    @property
    def frequencies(self) -> Any:
        """Square roots of the eigenvalues of stiffness and mass matrix, Hz."""
        return self._arrays["frequency"]

    def describe(self) -> str:
        """The output of ``limber info``."""
        return _c.take_text(_c.lib.lmb_results_describe, _c.path(self.path))

    def export(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the body in another format, such as Modelica (.mo)."""
        from .tools import export

        export(self, path)

    def __repr__(self) -> str:
        return f"<limber.Body {self.name}: {self.mass:.4g} kg, {self.coordinates} coordinates, markers {self.markers}>"
