"""Python functions that the library calls."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, List, Optional, Sequence

from . import _c


class Function:
    """A function of expressions: numbers in, a number out, with its partial derivatives if they are known."""

    def __init__(
        self, function: Callable[..., Any], arguments: int, gradient: Optional[Callable[..., Any]] = None
    ) -> None:
        self.function, self.arguments, self.gradient = function, arguments, gradient
        self.errors: List[BaseException] = []
        self._numbers = ctypes.c_double * arguments
        self.c = _c.callback_type("lmb_callback")(self._call)

    def _call(self, user: Any, x: int, gradient: Optional[int]) -> float:
        try:
            values = list(self._numbers.from_address(x))
            if gradient and self.gradient is not None:
                slopes = self.gradient(*values)
                slopes = list(slopes) if hasattr(slopes, "__len__") else [slopes]
                if len(slopes) != self.arguments:
                    raise ValueError(f"the gradient has {len(slopes)} numbers; it needs {self.arguments}")
                self._numbers.from_address(gradient)[:] = [float(s) for s in slopes]
            return float(self.function(*values))
        except BaseException as error:  # nothing may pass through C
            self.errors.append(error)
            return float("nan")


def raise_error(functions: Sequence[Function]) -> None:
    """Raises the first exception of functions since the last call."""
    errors = [e for f in functions for e in f.errors]
    for f in functions:
        f.errors.clear()
    if errors:
        raise errors[0]
