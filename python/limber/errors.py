"""What can go wrong, as exceptions: with file, line, and what to do."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Optional

from . import _c

if TYPE_CHECKING:
    from .results import Results

__all__ = ["Interrupted", "InvalidInput", "LimberError", "SolverFailure", "SystemFailure"]


class LimberError(Exception):
    """The base of all errors of limber.

    >>> import limber
    >>> try:
    ...     limber.Model("limber: 1\\nbodies:\\n  arm: {mas: 2}\\n", name="arm.yaml").check()
    ... except limber.InvalidInput as error:
    ...     print(error.file, error.line)
    ...     print(error)
    arm.yaml 3
    arm.yaml:3:9: error: unknown key 'mas' in body 'arm'; did you mean 'mass'?
    """

    #: the file with the error, "" if it has none
    file: str
    #: its line and column from 1; 0: unknown
    line: int
    column: int
    #: what is wrong and what to do, without the place
    message: str
    #: of a run: the results until then, None if there are none
    results: Optional["Results"]

    def __init__(self, message: str, file: str = "", line: int = 0, column: int = 0, formatted: str = "") -> None:
        super().__init__(formatted or message)
        self.message, self.file, self.line, self.column = message, file, line, column
        self.results = None


class SolverFailure(LimberError):
    """No convergence, a singular matrix, a step size that became too small: exit code 1 of the program."""


class InvalidInput(LimberError):
    """A model, a file or a call is wrong; the text says where, and what to do: exit code 2 of the program."""


class SystemFailure(LimberError):
    """Memory, disk, files, other programs, or stopped by a callback: exit code 3 of the program."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run. ``results`` has what was computed until then; a run with ``resume=True`` continues it."""

    results: Optional["Results"] = None


def error_of(status: int, err: Any) -> LimberError:
    """The exception of a status and a filled lmb_error."""
    kinds = {_c.LMB_ERR_NUMERIC: SolverFailure, _c.LMB_ERR_INPUT: InvalidInput}
    buffer = ctypes.create_string_buffer(1300)
    formatted = _c.text(_c.lib.lmb_error_format(buffer, len(buffer), ctypes.byref(err)))
    if formatted.startswith("error: "):
        formatted = formatted[len("error: ") :]
    return kinds.get(status, SystemFailure)(_c.text(err.text), _c.text(err.file), err.line, err.col, formatted)
