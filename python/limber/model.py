"""Models: what a model file says, to be changed, checked and run."""

from __future__ import annotations

import difflib
import inspect
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from . import _c, _values
from ._callback import Function
from .progress import Progress

if TYPE_CHECKING:
    from .env import Env
    from .results import Results
    from .system import System

__all__ = ["Model", "Node"]

PathLike = Union[str, "os.PathLike[str]"]


class Node:
    """A map or a list in a model: ``m.bodies``, ``m.bodies.arm``, ``m.analyses``.

    Entries are attributes or items; single values are numbers, texts, bool or None. What is set goes into the model.
    """

    __slots__ = ("_model", "_path")

    def __init__(self, model: "Model", path: Tuple[Any, ...]) -> None:
        object.__setattr__(self, "_model", model)
        object.__setattr__(self, "_path", path)

    def to_python(self) -> Any:
        """A copy as dictionaries and lists."""
        return _at(self._model.to_dict(), self._path)

    def _tree(self) -> Any:
        tree = self._model._look()
        for part in self._path:
            try:
                tree = tree[part]
            except (KeyError, IndexError, TypeError):
                return {}
        return tree

    def _child(self, key: Any, error: Any) -> Any:
        tree = self._tree()
        if isinstance(tree, list) and isinstance(key, str) and key.isdigit():
            key = int(key)
        if isinstance(key, int) and key < 0:
            key += len(tree)
        try:
            value = tree[key]
        except (KeyError, IndexError, TypeError):
            raise error(self._missing(key, tree)) from None
        return Node(self._model, (*self._path, key)) if isinstance(value, (dict, list)) else value

    def _missing(self, key: Any, tree: Any) -> str:
        where = ".".join(map(str, self._path)) or "the model"
        near = difflib.get_close_matches(str(key), [str(k) for k in tree] if isinstance(tree, dict) else [], 1)
        return f"{where} has no '{key}'" + (f"; did you mean '{near[0]}'?" if near else "")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._child(name, AttributeError)

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        del self[name]

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str) and "." in key:
            first, rest = key.split(".", 1)
            return self._child(first, KeyError)[rest]
        return self._child(key, KeyError)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, int) and key < 0:
            key += len(self)
        self._model._set(".".join(map(str, (*self._path, key))), value)

    def __delitem__(self, key: Any) -> None:
        if isinstance(key, int) and key < 0:
            key += len(self)
        self._model._delete(".".join(map(str, (*self._path, key))))

    def append(self, value: Any) -> None:
        """Adds an entry to a list: ``m.analyses.append({"type": "modes"})``."""
        self[len(self)] = value

    def keys(self) -> List[str]:
        """The names in a map."""
        tree = self._tree()
        return list(tree) if isinstance(tree, dict) else [str(i) for i in range(len(tree))]

    def items(self) -> List[Tuple[str, Any]]:
        """Names and entries of a map."""
        return [(k, self._child(k, KeyError)) for k in self.keys()]

    def __contains__(self, key: Any) -> bool:
        return key in self._tree()

    def __iter__(self) -> Iterator[Any]:
        tree = self._tree()
        return iter(tree) if isinstance(tree, dict) else (self._child(i, IndexError) for i in range(len(tree)))

    def __len__(self) -> int:
        return len(self._tree())

    def __eq__(self, other: Any) -> bool:
        return bool(self.to_python() == (other.to_python() if isinstance(other, Node) else other))

    def __hash__(self) -> int:
        return hash((id(self._model), self._path))

    def __dir__(self) -> List[str]:
        return [*object.__dir__(self), *self.keys()]

    def __repr__(self) -> str:
        return _values.flow(self.to_python())


def _at(tree: Any, path: Tuple[Any, ...]) -> Any:
    for part in path:
        tree = tree[part]
    return tree


class Model:
    """A model: from a dictionary, a file or a text; it can be changed, and run as often as you like.

    >>> import limber
    >>> m = limber.Model({
    ...     "parameters": {"L": 0.4},
    ...     "gravity": [0, -9.81, 0],
    ...     "bodies": {"arm": {"mass": 2, "inertia": [0.01, 0.03, 0.03], "at": ["L/2", 0, 0],
    ...                        "markers": {"root": ["-L/2", 0, 0], "tip": ["L/2", 0, 0]}}},
    ...     "joints": {"pin": {"type": "revolute", "between": ["ground", "arm.root"], "axis": [0, 0, 1]}},
    ...     "sensors": {"tip": {"type": "position", "of": "arm.tip"}},
    ...     "analyses": [{"type": "dynamics", "until": 1}],
    ... })
    >>> m.bodies.arm.mass = 2.5
    >>> m["bodies.arm.mass"]
    2.5
    >>> r = m.run(L=0.5)
    >>> print(f"{r['tip.y'][-1]:.3f} {r.unit('tip.y')}")
    -0.485 m
    """

    _own = ("_source", "_name", "_edits", "_live", "_seen", "_functions", "_drives")

    def __init__(self, source: Union[str, Mapping[str, Any], None] = None, name: Optional[str] = None) -> None:
        """``source``: a dictionary, or the text of a model file; ``name``: for messages, and where paths in the model start from.

        Without a source the model is empty.
        """
        if source is None:
            source = {}
        if isinstance(source, Mapping):
            tree = _values.plain(source)
            text = _values.dump(tree if "limber" in tree else {"limber": 1, **tree})
        else:
            text = source
        self._begin(text, name or "model", None)

    def _begin(self, source: str, name: str, live: Optional[_c.Owned]) -> None:
        if "\0" in source:
            raise ValueError("a model file cannot contain a character 0")
        self._source, self._name = source, name
        self._edits: List[Tuple[str, Optional[str]]] = []
        self._live = live or self._read()
        self._seen: Any = None
        self._functions: Dict[str, Function] = {}
        self._drives: List[PathLike] = []

    def _read(self) -> _c.Owned:
        return _c.create(
            _c.lib.lmb_document_read_text, _c.lib.lmb_document_destroy, self._source.encode(), os.fsencode(self._name)
        )

    @classmethod
    def from_file(cls, path: PathLike) -> "Model":
        """Reads a model file (YAML or JSON), or a robot (URDF, MJCF) as a model."""
        live = _c.create(_c.lib.lmb_document_read_file, _c.lib.lmb_document_destroy, _c.path(path))
        model = cls.__new__(cls)
        if Path(path).suffix.lower() in (".urdf", ".xml", ".mjcf"):
            source = _c.take_text(_c.lib.lmb_document_text, live.pointer)
        else:
            source = Path(path).read_text(encoding="utf-8-sig")
        model._begin(source, os.fspath(path), live)
        return model

    def copy(self) -> "Model":
        """Another model with the same contents."""
        model = type(self).__new__(type(self))
        model._begin(self._source, self._name, None)
        for path, value in self._edits:
            model._edit(path, value)
        model._functions = dict(self._functions)
        model._drives = list(self._drives)
        return model

    # ---- what it says --------------------------------------------------------------------------

    def _look(self) -> Any:
        if self._seen is None:
            self._seen = _values.load(_c.take_text(_c.lib.lmb_document_text, self._live.pointer))
        return self._seen

    def to_dict(self) -> Dict[str, Any]:
        """A copy as dictionaries and lists."""
        out: Dict[str, Any] = _values.load(_c.take_text(_c.lib.lmb_document_text, self._live.pointer))
        return out

    def to_yaml(self) -> str:
        """The text of a model file: as it was read, or written anew if it was changed."""
        return _values.dump(self._look()) if self._edits else self._source

    def save(self, path: PathLike) -> None:
        """Writes a model file. Paths in it start from its folder."""
        Path(path).write_text(self.to_yaml(), encoding="utf-8")

    def _edit(self, path: str, value: Optional[str]) -> None:
        if "\0" in path or "\0" in (value or ""):
            raise ValueError("a model cannot contain a character 0")
        if value is None:
            _c.call(_c.lib.lmb_document_delete, self._live.pointer, path.encode())
        else:
            _c.call(_c.lib.lmb_document_set, self._live.pointer, path.encode(), value.encode())
        self._edits.append((path, value))
        self._seen = None

    def _set(self, path: str, value: Any) -> None:
        self._edit(path, _values.setting(value))

    def _delete(self, path: str) -> None:
        self._edit(path, None)

    @property
    def root(self) -> Node:
        """The whole model as a map of sections."""
        return Node(self, ())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        # a section that is not there yet can be filled: m.sensors.tip = {...}
        return self.root[name] if name in self._look() else Node(self, (name,))

    def __setattr__(self, name: str, value: Any) -> None:
        if name in Model._own:
            object.__setattr__(self, name, value)
        elif hasattr(type(self), name):
            raise AttributeError(f"'{name}' is a method of Model; write m['{name}'] = ... for a section")
        else:
            self._set(name, value)

    def __delattr__(self, name: str) -> None:
        self._delete(name)

    def __getitem__(self, path: str) -> Any:
        return self.root[path]

    def __setitem__(self, path: str, value: Any) -> None:
        self._set(path, value)

    def __delitem__(self, path: str) -> None:
        self._delete(path)

    def __contains__(self, path: str) -> bool:
        try:
            self.root[path]
        except (KeyError, TypeError):
            return False
        return True

    def __dir__(self) -> List[str]:
        return [*object.__dir__(self), *self._look()]

    def __repr__(self) -> str:
        tree = self._look()
        counts = [f"{len(tree[k])} {k}" for k in ("bodies", "joints", "forces", "analyses") if tree.get(k)]
        return f"<limber.Model {self._name}: {', '.join(counts) or 'empty'}>"

    # ---- functions and inputs ------------------------------------------------------------------

    def function(
        self,
        name: str,
        function: Callable[..., Any],
        arguments: Optional[int] = None,
        gradient: Optional[Callable[..., Any]] = None,
    ) -> None:
        """Lets expressions of the model call a Python function: ``value: law(pin.angle, t)``.

        The same arguments must give the same number, smoothly. ``gradient`` returns the partial derivatives; without it they are
        found by differences. This is slow: a few microseconds for each call, many calls for each step, all under Python's lock. An
        exception ends the run and is raised there.

        >>> import limber, math
        >>> m = limber.Model('''
        ... limber: 1
        ... bodies: {block: {mass: 2, inertia: 1}}
        ... joints: {rail: {type: translational, between: [ground, block], axis: [1, 0, 0]}}
        ... forces: {spring: {type: force, on: block, axis: [1, 0, 0], value: "law(rail.position)"}}
        ... sensors: {x: {type: coordinate, of: rail}}
        ... analyses: [{type: dynamics, until: 1}]
        ... ''')
        >>> m.joints.rail.start = {"position": 0.1}
        >>> m.function("law", lambda x: -50 * x, gradient=lambda x: -50)
        >>> print(round(m.run()["x"][-1], 3), round(0.1 * math.cos(5), 3))
        0.028 0.028
        """
        if arguments is None:
            arguments = len(inspect.signature(function).parameters)
        self._functions[name] = Function(function, arguments, gradient)

    def drive(self, file: PathLike) -> None:
        """Inputs follow the columns of a CSV file in time, as with ``limber run --input``."""
        self._drives.append(file)

    # ---- what can be done with it --------------------------------------------------------------

    def _document(self) -> Tuple[_c.Owned, List[Function]]:
        """A document to compile, and what it calls."""
        document = self._read()
        for path, value in self._edits:
            if value is None:
                _c.call(_c.lib.lmb_document_delete, document.pointer, path.encode())
            else:
                _c.call(_c.lib.lmb_document_set, document.pointer, path.encode(), value.encode())
        for file in self._drives:
            _c.call(_c.lib.lmb_document_drive, document.pointer, _c.path(file))
        functions = []
        for name, given in self._functions.items():
            f = Function(given.function, given.arguments, given.gradient)  # its errors are those of one system
            functions.append(f)
            _c.call(_c.lib.lmb_document_function, document.pointer, name.encode(), f.arguments, f.c, None)
        return document, functions

    def system(self, parameters: Optional[Mapping[str, Any]] = None, **options: Any) -> "System":
        """Compiles the model, with other values of parameters: ``m.system(L=0.5)``. See :class:`limber.System` for options."""
        from .system import System

        return System(self, parameters, **options)

    def check(self, parameters: Optional[Mapping[str, Any]] = None, **options: Any) -> str:
        """The report of ``limber check``: counts, degrees of freedom, redundant constraints, initial conditions, analyses."""
        return self.system(parameters, **options).report()

    def run(
        self,
        output: Optional[PathLike] = None,
        parameters: Optional[Mapping[str, Any]] = None,
        *,
        resume: bool = False,
        error_bars: bool = False,
        threads: int = 0,
        progress: Progress = None,
        **options: Any,
    ) -> "Results":
        """Runs all analyses and returns the results: ``m.run("arm.h5", L=0.5)``.

        Without ``output`` they are in a temporary file, which disappears with them. ``resume`` continues a stopped or killed
        run. Further keywords are options of :meth:`system` and values of parameters. After Ctrl-C, :class:`limber.Interrupted`
        has the results until then, as ``error.results`` of other errors has.
        """
        system = self.system(parameters, progress=progress, **options)
        return system.run(output, resume=resume, error_bars=error_bars, threads=threads, progress=progress)

    def env(self, **options: Any) -> "Env":
        """The model as an environment with ``reset`` and ``step``, as :class:`limber.Env` explains."""
        from .env import Env

        return Env(self, **options)

    def fmu(
        self,
        path: PathLike,
        parameters: Optional[Mapping[str, Any]] = None,
        *,
        version: int = 3,
        kind: str = "both",
        progress: Progress = None,
        **options: Any,
    ) -> None:
        """Writes a functional mock-up unit, as ``limber fmu``; ``kind``: "cs", "me" or "both"."""
        from .tools import write_fmu

        write_fmu(self, path, parameters, version, kind, progress, options)
