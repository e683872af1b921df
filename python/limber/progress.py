"""A line of progress in terminals and notebooks; Ctrl-C and errors of callbacks while the library works."""

from __future__ import annotations

import importlib
import signal
import sys
import threading
import time
from types import TracebackType
from typing import Any, Callable, List, Optional, Sequence, Type, Union

from ._callback import Function, raise_error

#: ``progress=`` of functions that take long: None shows a line where somebody watches, True and False decide; a function gets
#: (what, done) with done from 0 to 1, or None if it is not known, and may return False to stop.
Progress = Union[None, bool, Callable[[str, Optional[float]], Any]]

__all__ = ["Progress", "Watch"]


def _notebook() -> Any:
    """IPython's display function in a notebook."""
    if "IPython" not in sys.modules:
        return None
    shell = sys.modules["IPython"].get_ipython()
    return shell if shell is not None and type(shell).__name__ == "ZMQInteractiveShell" else None


class _Line:
    """Draws at most ten times a second, and clears itself."""

    def __init__(self, shown: Optional[bool]) -> None:
        self.shell = _notebook()
        self.shown = (self.shell is not None or sys.stderr.isatty()) if shown is None else shown
        self.last = 0.0
        self.handle: Any = None
        self.width = 0

    def draw(self, what: str, done: Optional[float]) -> None:
        now = time.monotonic()
        if not self.shown or now - self.last < 0.1:
            return
        self.last = now
        bar = "" if done is None else "  [" + ("#" * round(24 * done)).ljust(24, ".") + f"] {100 * done:3.0f} %"
        self._write(what.splitlines()[0][:100] + bar if what else bar)

    def _write(self, line: str) -> None:
        if self.shell is not None:
            display = importlib.import_module("IPython.display").display
            data = {"text/plain": line}
            if self.handle is None:
                self.handle = display(data, raw=True, display_id=True)
            else:
                self.handle.update(data, raw=True)
            return
        sys.stderr.write("\r" + line.ljust(self.width))
        sys.stderr.flush()
        self.width = len(line)

    def end(self) -> None:
        if self.last == 0 or not self.shown:
            return
        self._write("")
        if self.shell is None:
            sys.stderr.write("\r")


class Watch:
    """One call of the library that may take long.

    Its callbacks tell the progress; Ctrl-C, and exceptions in Python code that the library calls, make them return False.
    """

    def __init__(self, progress: Progress = None, functions: Sequence[Function] = ()) -> None:
        self.functions = functions
        self.line = _Line(progress if isinstance(progress, bool) or progress is None else False)
        self.function = progress if callable(progress) else None
        self.interrupted = False
        self.errors: List[BaseException] = []
        self.stopped = False
        self.before: Any = None

    def __enter__(self) -> "Watch":
        if (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        ):
            self.before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self.before is not None:
            signal.signal(signal.SIGINT, self.before)
        self.line.end()

    def _interrupt(self, number: int, frame: Any) -> None:
        self.interrupted = True

    def goes_on(self) -> bool:
        return not (self.interrupted or self.errors or self.stopped or any(f.errors for f in self.functions))

    def raise_errors(self) -> None:
        """Raises what Python code threw while the library called it."""
        if self.errors:
            raise self.errors[0]
        raise_error(self.functions)

    def tell(self, what: str, done: Optional[float]) -> bool:
        """Shows progress; False: stop."""
        try:
            self.line.draw(what, done)
            if self.function is not None and self.function(what, done) is False:
                self.stopped = True
        except BaseException as error:  # nothing may pass through C
            self.errors.append(error)
        return self.goes_on()
