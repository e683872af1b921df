"""Settings for parts: lmb_part_settings."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Iterable, List, Mapping, Optional, Tuple

from . import _c, _values
from .progress import Watch

_tell_type = _c.callback_type("lmb_part_settings", "progress")


def tell(watch: Watch) -> Any:
    """The callback (user, text, done) of options, which must be kept while they are used."""

    def told(user: Any, text: Optional[bytes], done: float) -> bool:
        return watch.tell(_c.text(text), done if 0 <= done <= 1 else None)

    return _tell_type(told)


def settings(pairs: Iterable[Tuple[str, Any]]) -> Any:
    """An array of lmb_setting; None for an empty one."""
    items = [_c.struct("lmb_setting", name=k.encode(), value=_values.setting(v).encode()) for k, v in pairs]
    return (type(items[0]) * len(items))(*items) if items else None


def part_settings(
    watch: Watch,
    trust: bool = False,
    allow_fmu: bool = False,
    cache: bool = True,
    references: Optional[str] = None,
    parameters: Optional[Mapping[str, Any]] = None,
    keys: Optional[Mapping[str, Any]] = None,
) -> Tuple[Any, List[Any]]:
    """A structure, and what must live as long as it."""
    folder = references or os.environ.get("LIMBER_REFERENCE") or None
    told = tell(watch)
    given = settings((parameters or {}).items())
    further = settings((keys or {}).items())
    out = _c.struct(
        "lmb_part_settings",
        factoriser=_c.fe.lmb_fe_cholmod() if _c.fe else None,
        references=None if folder is None else os.fsencode(folder),
        no_cache=not cache,
        trust=trust,
        allow_fmu=allow_fmu,
        progress=told,
        parameter_count=len(given) if given is not None else 0,
        key_count=len(further) if further is not None else 0,
    )
    pointer = ctypes.POINTER(_c.struct("lmb_setting").__class__)
    if given is not None:
        out.parameters = ctypes.cast(given, pointer)
    if further is not None:
        out.keys = ctypes.cast(further, pointer)
    return out, [told, given, further]
