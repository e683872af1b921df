"""A model as an environment with ``reset`` and ``step``, in the way of gymnasium, without needing that package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from .errors import SolverFailure
from .system import System

if TYPE_CHECKING:
    from .model import Model
    from .simulation import Simulation

__all__ = ["Box", "Env"]


class Box(NamedTuple):
    """Bounds of actions and observations, with the names that gymnasium.spaces.Box has: ``Box(low, high, dtype=float)``."""

    low: Any
    high: Any

    @property
    def shape(self) -> Tuple[int, ...]:
        """The shape of a sample."""
        return tuple(self.low.shape)


class Env:
    """A model that a controller or a learner drives: ``observation, info = env.reset()``, then ``env.step(action)``.

    An action sets inputs of the model for one period ``every``; an observation is an array of sensors. ``reward(sim, action)``
    and ``terminated(sim)`` are functions of yours; ``start(sim, rng)`` may change the state at the beginning of an episode, with
    the random generator of ``reset(seed=...)``. An episode is truncated at the end of the analysis. If the integration fails,
    the episode terminates, and ``info["error"]`` says why.

    >>> import limber
    >>> m = limber.Model('''
    ... limber: 1
    ... inputs: {push: {unit: N, min: -20, max: 20}}
    ... bodies: {cart: {mass: 2, inertia: 1}}
    ... joints: {rail: {type: translational, between: [ground, cart], axis: [1, 0, 0], start: {position: 0.5}}}
    ... forces: {push: {type: force, on: cart, axis: [1, 0, 0], value: push}}
    ... outputs: [rail.position, rail.position_rate]
    ... analyses: [{type: dynamics, until: 5}]
    ... ''')
    >>> env = m.env(every=0.05, reward=lambda sim, action: -sim["rail.position"] ** 2)
    >>> observation, info = env.reset(seed=1)
    >>> total, over = 0.0, False
    >>> while not over:
    ...     x, v = observation
    ...     observation, reward, terminated, truncated, info = env.step([-8 * x - 6 * v])
    ...     total += reward
    ...     over = terminated or truncated
    >>> print(f"{info['time']:.2f} s, {abs(observation[0]) < 0.01}, {total:.2f}")
    5.00 s, True, -2.49
    """

    metadata: Dict[str, Any] = {"render_modes": []}
    render_mode = None

    def __init__(
        self,
        model: Union["Model", System],
        *,
        every: float,
        actions: Optional[Sequence[str]] = None,
        observations: Optional[Sequence[str]] = None,
        reward: Optional[Callable[["Simulation", Any], float]] = None,
        terminated: Optional[Callable[["Simulation"], Any]] = None,
        start: Optional[Callable[["Simulation", Any], Any]] = None,
        analysis: Union[int, str] = 0,
        **options: Any,
    ) -> None:
        """``actions``: names of inputs (default: all); ``observations``: sensors (default: the outputs)."""
        self.system = model if isinstance(model, System) else model.system(**options)
        if not every > 0:
            raise ValueError(f"every = {every}: expected a positive time in s")
        self.every = every
        inputs = {x.name: x for x in self.system.inputs}
        self.actions = list(inputs if actions is None else actions)
        self.observations = list(self.system.outputs if observations is None else observations)
        for name in self.actions:
            self.system._input(name)
        self._sensors = [self.system._sensor(name) for name in self.observations]
        self._analysis = self.system._analysis(analysis)
        self._until = self.system.analyses[self._analysis].until
        self._reward, self._terminated, self._start = reward, terminated, start
        chosen = [inputs[name] for name in self.actions]
        #: the ranges of the inputs
        self.action_space = Box(np.array([x.min for x in chosen]), np.array([x.max for x in chosen]))
        far = np.full(len(self.observations), np.inf)
        self.observation_space = Box(-far, far)
        self.np_random = np.random.default_rng()
        #: the simulation of the present episode
        self.simulation = self.system.simulation()
        self._first = self.simulation.state
        self._begun: Optional[bytes] = None
        self._count = 0

    def _look(self) -> Any:
        return self.simulation._read(self._sensors)

    def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Tuple[Any, Dict[str, Any]]:
        """Begins an episode."""
        if seed is not None:
            self.np_random = np.random.default_rng(seed)
        sim, self._count = self.simulation, 0
        if self._start is None and self._begun is not None:
            sim.restore(self._begun)
            return self._look(), {"time": sim.time}
        sim.state = self._first
        if self._start is not None:
            self._start(sim, self.np_random)
        for x in self.system.inputs:
            sim.set_input(x.name, x.start)
        sim.begin(self._analysis)
        self._time = sim.time
        self._begun = sim.snapshot() if self._start is None else None
        return self._look(), {"time": sim.time}

    def step(self, action: Any) -> Tuple[Any, float, bool, bool, Dict[str, Any]]:
        """Observation, reward, terminated, truncated, info after one period with these inputs, limited to their ranges."""
        sim = self.simulation
        values = np.clip(np.atleast_1d(np.asarray(action, dtype=float)), self.action_space.low, self.action_space.high)
        if values.shape != (len(self.actions),):
            raise ValueError(f"the action has shape {values.shape}; it sets {self.actions}")
        for name, value in zip(self.actions, values):
            sim.set_input(name, float(value))
        self._count += 1
        due = min(self._time + self._count * self.every, self._until)
        info: Dict[str, Any] = {}
        try:
            ended = sim.advance(due)
        except SolverFailure as error:
            info["error"] = str(error)
            return self._look(), float("nan"), True, False, {**info, "time": sim.time}
        info["time"] = sim.time
        reward = 0.0 if self._reward is None else float(self._reward(sim, values))
        stopped = ended and sim.time < self._until * (1 - 1e-12)  # by an event of the model
        over = stopped or (self._terminated is not None and bool(self._terminated(sim)))
        return self._look(), reward, over, ended and not stopped, info

    def render(self) -> None:
        """Nothing; run the model into a file to see it."""

    def close(self) -> None:
        """Releases the simulation."""
        self.simulation.close()
