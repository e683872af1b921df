"""Values of model files as text and back."""

from __future__ import annotations

import json
import os
import re
from typing import Any, Iterator, List, Mapping, Tuple

_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|([\[\]{},:])|([^\s\[\]{},:"]+))')
_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False, "null": None}
_PLAIN = re.compile(r"[A-Za-z_][\w./]*(?: [\w./]+)*")


def plain(value: Any) -> Any:
    """The same of dictionaries, lists, texts, numbers, bool and None: NumPy's arrays, paths and parts of models are turned into these."""
    if isinstance(value, (str, bool, int, float)) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    for method in ("to_python", "tolist"):
        if hasattr(value, method):
            return plain(getattr(value, method)())
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    raise TypeError(f"a model cannot contain {type(value).__name__}; use numbers, texts, lists and dictionaries")


def scalar(value: Any) -> str:
    """A single value as YAML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if value is None:
        return "null"
    bare = _PLAIN.fullmatch(value) and value.lower() not in _WORDS
    return str(value) if bare else json.dumps(value, ensure_ascii=False)


def flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(v) for v in value) + "]"
    return scalar(value)


def setting(value: Any) -> str:
    """A value as lmb_document_set takes it: texts are as they are."""
    value = plain(value)
    if isinstance(value, str):
        return value
    return "~" if value is None else flow(value)


def dump(tree: Any) -> str:
    """A model as YAML: sections, and in them a line for each element."""
    out = []
    for section, value in tree.items():
        if isinstance(value, dict) and any(isinstance(v, (dict, list)) for v in value.values()):
            out.append(f"{scalar(section)}:")
            out += [f"  {scalar(k)}: {flow(v)}" for k, v in value.items()]
        elif isinstance(value, list) and any(isinstance(v, dict) for v in value):
            out.append(f"{scalar(section)}:")
            out += [f"  - {flow(v)}" for v in value]
        else:
            out.append(f"{scalar(section)}: {flow(value)}")
    return "\n".join(out) + "\n"


def _tokens(source: str) -> Iterator[Tuple[str, str, str]]:
    source = source.rstrip()
    at = 0
    while at < len(source):
        found = _TOKEN.match(source, at)
        assert found, source[at : at + 40]
        at = found.end()
        yield found[1] or "", found[2] or "", found[3] or ""


def _bare(word: str) -> Any:
    if word in _WORDS:
        return _WORDS[word]
    try:
        return int(word)
    except ValueError:
        return float(word)


def load(source: str) -> Any:
    """Reads what lmb_document_text writes: JSON, with numbers and words as in the model file."""
    tokens = list(_tokens(source))

    def value(i: int) -> Tuple[Any, int]:
        quoted, mark, word = tokens[i]
        if quoted:
            return json.loads(quoted, strict=False), i + 1
        if word:
            return _bare(word), i + 1
        return (mapping if mark == "{" else sequence)(i + 1)

    def mapping(i: int) -> Tuple[Any, int]:
        out = {}
        while tokens[i][1] != "}":
            key = json.loads(tokens[i][0], strict=False)
            out[key], i = value(i + 2)
            i += tokens[i][1] == ","
        return out, i + 1

    def sequence(i: int) -> Tuple[Any, int]:
        out: List[Any] = []
        while tokens[i][1] != "]":
            entry, i = value(i)
            out.append(entry)
            i += tokens[i][1] == ","
        return out, i + 1

    return value(0)[0]
