"""State spaces."""

from __future__ import annotations

from typing import Any, List, Sequence, Union

import numpy as np

from ._arrays import borrow, names

__all__ = ["StateSpace"]


class StateSpace:
    """s' = A s + B e, y = C s + D e for small changes of states, inputs and outputs, with names and units.

    ``limber`` gives it as a result of the analysis `linearise`, and of :meth:`limber.Simulation.linearise`. python-control takes it as
    ``control.ss(l.A, l.B, l.C, l.D)``, SciPy as ``scipy.signal.StateSpace(l.A, l.B, l.C, l.D)``.

    >>> import limber
    >>> m = limber.Model('''
    ... limber: 1
    ... inputs: {push: {unit: N}}
    ... bodies: {block: {mass: 2, inertia: 1}}
    ... joints: {rail: {type: translational, between: [ground, block], axis: [1, 0, 0], spring: {stiffness: 50}}}
    ... forces: {push: {type: force, on: block, axis: [1, 0, 0], value: push}}
    ... outputs: [rail.position]
    ... analyses: [{type: linearise}]
    ... ''')
    >>> l = m.run().state_space
    >>> l.state_names, l.input_names, l.output_names
    (['block.x', 'block.x_rate'], ['push'], ['rail.position'])
    >>> abs(l.response(0)[0, 0]).round(6)    # at rest: 1/k
    0.02
    >>> l.eigenvalues.round(6)
    array([0.+5.j, 0.-5.j])
    """

    A: Any
    B: Any
    C: Any
    D: Any
    #: per output: estimated error of its rows of C and D, relative to their largest entry; nan: it has no derivatives here
    output_error: Any
    #: zeros of the transfers, as rows output, input (numbers from 0), re, im in 1/s; None if they were not asked for
    zeros: Any
    state_names: List[str]
    state_units: List[str]
    input_names: List[str]
    input_units: List[str]
    output_names: List[str]
    output_units: List[str]
    #: s; nan if it is not known
    time: float

    def __init__(self, owner: Any, l: Any, lists: Sequence[str]) -> None:
        """From a structure of the library; ``lists``: its fields with names and units of states, inputs, outputs."""
        n, nu, ny = l.states, l.inputs, l.outputs
        self.A, self.B = borrow(owner, l.A, (n, n)), borrow(owner, l.B, (n, nu))
        self.C, self.D = borrow(owner, l.C, (ny, n)), borrow(owner, l.D, (ny, nu))
        counts = (n, n, nu, nu, ny, ny)
        self.state_names, self.state_units, self.input_names, self.input_units, self.output_names, self.output_units = (
            names(getattr(l, field), count) for field, count in zip(lists, counts)
        )
        self.zeros, self.time = None, float("nan")

    @property
    def eigenvalues(self) -> Any:
        """Eigenvalues of A, 1/s."""
        return np.linalg.eigvals(self.A)

    def response(self, frequency: Union[float, Sequence[float]]) -> Any:
        """C (i w - A)^-1 B + D at frequencies in Hz: outputs x inputs, for a list with the frequencies first."""
        f = np.atleast_1d(np.asarray(frequency, dtype=float))
        one = np.eye(len(self.A))
        out = np.array([self.C @ np.linalg.solve(2j * np.pi * w * one - self.A, self.B) + self.D for w in f])
        return out[0] if np.ndim(frequency) == 0 else out

    def __repr__(self) -> str:
        return f"<limber.StateSpace: {len(self.A)} states, inputs {self.input_names}, outputs {self.output_names}>"
