"""liblimber by ctypes: finds and loads it, and makes structures and functions of the C declarations in _declarations.py.

A call releases Python's global lock; callbacks take it again.  ``call`` turns a status into an exception.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import re
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import _declarations as declared

__all__ = ["Owned", "call", "fe", "lib", "library_path", "struct", "callback_type", "text", "take_text"]

# ---- types -----------------------------------------------------------------------------------------

_SIMPLE: Dict[str, Any] = {
    "void": None,
    "bool": ctypes.c_bool,
    "char": ctypes.c_char,
    "int": ctypes.c_int,
    "long": ctypes.c_long,
    "double": ctypes.c_double,
    "size_t": ctypes.c_size_t,
}
_structs: Dict[str, Any] = {}
_callbacks: Dict[str, Any] = {}
_values: Dict[str, int] = {}  # of enums


def _squeeze(source: str) -> str:
    return re.sub(r"\s+", " ", source).strip()


def _split(source: str, separator: str) -> List[str]:
    """Splits outside parentheses."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(source):
        depth += (c == "(") - (c == ")")
        if c == separator and depth == 0:
            parts.append(source[start:i])
            start = i + 1
    parts.append(source[start:])
    return [p.strip() for p in parts if p.strip()]


def _type(base: str, stars: int) -> Any:
    """ctypes of a C type: texts are bytes, pointers to structures are typed, all others are addresses."""
    if base == "char" and stars:
        return [None, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)][stars] if stars < 3 else ctypes.c_void_p
    if stars == 1 and base in _structs:
        return ctypes.POINTER(_structs[base])
    if stars:
        return ctypes.c_void_p
    return _callbacks.get(base) or _structs.get(base) or _SIMPLE[base]


_FUNCTION = re.compile(r"^(?P<result>.*?)\(\s*\*\s*(?P<name>\w+)\s*\)\s*\((?P<arguments>.*)\)$")


def _variables(source: str) -> List[Tuple[str, Any]]:
    """Names and types of a declaration: ``const char *name, *unit``, ``size_t size[4]``, ``bool (*f)(void *user)``."""
    function = _FUNCTION.match(source)
    if function:
        return [(function["name"], _function_type(function["result"], function["arguments"]))]
    words = re.match(r"^((?:const |struct )*\w+)\s*(.*)$", source)
    assert words, source
    base, found = words[1].split()[-1], []
    for part in _split(words[2] or "unnamed", ","):
        part = re.sub(r"\bconst\b", " ", part)
        name = re.search(r"(\w+)\s*((?:\[\d+\])*)\s*$", part)
        kind = _type(base, part.count("*"))
        for size in reversed(re.findall(r"\[(\d+)\]", name[2])) if name else []:
            kind = kind * int(size)
        found.append((name[1] if name else "", kind))
    return found


def _arguments(source: str) -> List[Any]:
    return [] if source.strip() == "void" else [_variables(a)[0][1] for a in _split(source, ",")]


def _result(source: str) -> Any:
    return _type(re.sub(r"\bconst\b|\*", " ", source).split()[-1], source.count("*"))


def _function_type(result: str, arguments: str) -> Any:
    return ctypes.CFUNCTYPE(_result(result), *_arguments(arguments))


def _read_types() -> None:
    for name in declared.OPAQUE.split():
        _SIMPLE[name] = None
    for name, body in re.findall(r"enum (\w+) \{([^}]*)\};", declared.ENUMS):
        _SIMPLE[name] = ctypes.c_int
        value = -1
        for entry in _split(body, ","):
            word, _, given = (p.strip() for p in entry.partition("="))
            value = int(given) if given else value + 1
            _values[word] = value
    for body in _split(_squeeze(declared.CALLBACKS), ";"):
        found = _FUNCTION.match(body[len("typedef ") :])
        assert found, body
        _callbacks[found["name"]] = _function_type(found["result"], found["arguments"])
    for name, body in re.findall(r"struct (\w+) \{(.*?)\};", _squeeze(declared.STRUCTS)):
        fields = [v for line in _split(body, ";") for v in _variables(line)]
        _structs[name] = type(name, (ctypes.Structure,), {"_fields_": fields})


_read_types()

LMB_OK, LMB_ERR_NUMERIC, LMB_ERR_INPUT = (_values[k] for k in ("LMB_OK", "LMB_ERR_NUMERIC", "LMB_ERR_INPUT"))


def value(name: str) -> int:
    """The value of an enum's constant."""
    return _values[name]


def struct(kind: str, /, **fields: Any) -> Any:
    """A structure of the C API, zero but for these fields."""
    return _structs[kind](**fields)


def callback_type(name: str, field: Optional[str] = None) -> Any:
    """The type of a callback, or of a structure's field that is one."""
    return _callbacks[name] if field is None else dict(_structs[name]._fields_)[field]


def prototypes(source: str) -> Dict[str, Tuple[Any, List[Any]]]:
    """Result and arguments of the functions of a text of declarations."""
    out = {}
    for line in _split(_squeeze(source), ";"):
        found = re.match(r"^(.*?)(\w+)\((.*)\)$", line)
        assert found, line
        out[found[2]] = (_result(found[1]), _arguments(found[3]))
    return out


# ---- loading ---------------------------------------------------------------------------------------


def _candidates() -> List[str]:
    package = Path(__file__).resolve().parent
    given = os.environ.get("LIMBER_LIBRARY")
    if given:
        return [given]
    beside = [package / "lib" / "liblimber.so.0", package.parents[1] / "build" / "liblimber.so.0"]
    return [str(p) for p in beside if p.exists()] + ["liblimber.so.0"]


def _load_quietly(path: str) -> ctypes.CDLL:
    # OpenBLAS, if nobody has loaded it yet, would start threads that wait in a loop: small models take longer with them
    names = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
    ours = not any(n in os.environ for n in names)
    if ours:
        os.environ[names[0]] = "1"
    try:
        return ctypes.CDLL(path)
    finally:
        if ours:
            del os.environ[names[0]]


def _load() -> Tuple[ctypes.CDLL, str]:
    tried = []
    for path in _candidates():
        try:
            return _load_quietly(path), path
        except OSError as error:
            tried.append(f"{path}: {error}")
    raise ImportError(
        "liblimber was not found; install limber (make install), or set LIMBER_LIBRARY to the path of liblimber.so\n  "
        + "\n  ".join(tried)
    )


def _bind(library: ctypes.CDLL, source: str, path: str) -> Any:
    for name, (result, arguments) in prototypes(source).items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"'{path}' has no function {name}: it belongs to another version of limber") from None
        function.restype, function.argtypes = result, arguments
    return library


_library, _path = _load()
lib: Any = _bind(_library, declared.FUNCTIONS, _path)


def library_path() -> str:
    """The file of liblimber, with its folder if it is known."""
    if os.sep in _path:
        return os.path.abspath(_path)
    name = os.path.basename(_path)
    with open("/proc/self/maps") as maps:
        for line in maps:
            if os.path.basename(line.rstrip("\n")).startswith(name):
                return line[line.index("/") :].rstrip("\n")
    return _path


def _load_fe() -> Any:
    given = os.environ.get("LIMBER_FE_LIBRARY")
    beside = os.path.join(os.path.dirname(library_path()), "liblimber-fe.so.0")
    path = given or (beside if os.path.exists(beside) else "")
    if not path:
        return None
    try:
        return _bind(_load_quietly(path), declared.FE_FUNCTIONS, path)
    except OSError as error:
        if given:
            raise ImportError(f"LIMBER_FE_LIBRARY: {error}") from None
        return None


# liblimber-fe, if it is beside liblimber or LIMBER_FE_LIBRARY names it; otherwise meshes are factorised more slowly
fe: Any = _load_fe()


# ---- calls -----------------------------------------------------------------------------------------


class Owned:
    """An object of the library, destroyed when nobody refers to it any more.

    What it needs (``keep``: its system, callbacks, buffers) lives as long as it.  A call holds a reference, so that no
    object is destroyed while a function works on it, whoever else closes it.
    """

    __slots__ = ("pointer", "keep", "_destroy")

    def __init__(self, pointer: Any, destroy: Callable[[Any], Any], *keep: Any) -> None:
        self.pointer = pointer
        self.keep = keep
        self._destroy = destroy

    def __del__(self) -> None:
        if not sys.is_finalizing():
            self._destroy(self.pointer)


def create(function: Any, destroy: Any, *arguments: Any, keep: Tuple[Any, ...] = ()) -> Owned:
    """Calls ``function(T **out, ..., lmb_error *err)``."""
    out = ctypes.c_void_p()
    call(function, ctypes.byref(out), *arguments)
    return Owned(out, destroy, *keep)


def call(function: Any, *arguments: Any) -> None:
    """Calls ``function(..., lmb_error *err)`` and raises its error."""
    err = _structs["lmb_error"]()
    status = function(*arguments, ctypes.byref(err))
    if status != LMB_OK:
        from .errors import error_of

        raise error_of(status, err)


def text(value: Optional[bytes]) -> str:
    """A text of the library."""
    return "" if value is None else value.decode("utf-8", "replace")


def take_text(function: Any, *arguments: Any) -> str:
    """Calls ``function(char **out, ..., lmb_error *err)`` and releases the text."""
    out = ctypes.c_char_p()
    try:
        call(function, ctypes.byref(out), *arguments)
        return text(out.value)
    finally:
        lib.lmb_text_release(out)


def path(name: Any) -> bytes:
    """A path for the library."""
    return os.fsencode(name)


def texts(values: Any) -> Any:
    """A list of texts as ``const char *const *``; None for an empty one."""
    items = [v.encode() for v in values]
    return (ctypes.c_char_p * len(items))(*items) if items else None
