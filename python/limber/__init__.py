"""limber: flexible multibody dynamics.

    import limber
    m = limber.load("arm.yaml")
    m.bodies.arm.mass = 2.5
    r = m.run(L=0.5)
    r["tip.x"], r.time

:class:`Model` is what a model file says, :class:`System` the compiled model, :class:`Simulation` a state that can be stepped and
driven, :class:`Results` a results file, :class:`Body` a flexible body. Numbers are in SI units, whatever the units of the model.
"""

from . import plot, tools, view
from ._c import lib as _lib
from ._c import library_path, text as _text
from .body import Body
from .env import Env
from .errors import Interrupted, InvalidInput, LimberError, SolverFailure, SystemFailure
from .linear import StateSpace
from .model import Model
from .results import Results
from .simulation import Simulation
from .study import Study, study
from .system import System
from .tools import clear_cache, faces, import_geometry, import_robot, modes, reduce, reference, schema, validate

__version__ = _text(_lib.lmb_version())

#: Reads a model file.
load = Model.from_file
#: Opens a results file.
open = Results  # limber.open("arm.h5")


def libraries() -> str:
    """Linked libraries with versions and licences, one per line."""
    return _text(_lib.lmb_libraries())


__all__ = [
    "Body",
    "Env",
    "Interrupted",
    "InvalidInput",
    "LimberError",
    "Model",
    "Results",
    "Simulation",
    "SolverFailure",
    "StateSpace",
    "Study",
    "System",
    "SystemFailure",
    "clear_cache",
    "faces",
    "import_geometry",
    "import_robot",
    "libraries",
    "library_path",
    "load",
    "modes",
    "open",
    "plot",
    "reduce",
    "reference",
    "schema",
    "study",
    "tools",
    "validate",
    "view",
]
