"""NumPy arrays that look into memory of the library."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

import numpy as np

from . import _c


class _Borrowed:
    """What NumPy asks for an address; the array refers to it, and it to the owner."""

    def __init__(self, owner: Any, address: int, shape: Sequence[int], kind: str) -> None:
        self.owner = owner
        self.__array_interface__ = {"data": (address, True), "shape": tuple(shape), "typestr": kind, "version": 3}


def borrow(owner: Any, address: Optional[int], shape: Sequence[int], integers: bool = False) -> Any:
    """An array that cannot be written, without a copy; the owner lives as long as it."""
    kind = np.dtype(np.intc if integers else np.float64).str
    if not address or 0 in shape:
        return np.zeros(shape, dtype=kind)
    return np.asarray(_Borrowed(owner, address, shape, kind))


def names(pointer: Any, count: int) -> List[str]:
    """A list of texts."""
    return [_c.text(pointer[i]) for i in range(count)] if pointer else []


def doubles(values: Any, count: int, what: str) -> Any:
    """An array of ``count`` numbers for the library."""
    out = np.ascontiguousarray(values, dtype=np.float64)
    if out.size != count:
        raise ValueError(f"{what} has {out.size} numbers; it needs {count}")
    return out
