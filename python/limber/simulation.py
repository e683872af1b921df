"""Simulations: a state, advanced by analyses, watched and driven from Python."""

from __future__ import annotations

import copy
import ctypes
import threading
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Type, Union

import numpy as np

from . import _c
from ._arrays import borrow, doubles, names
from .errors import Interrupted, LimberError
from .linear import StateSpace
from .progress import Progress, Watch
from .system import System

__all__ = ["BodyState", "Flow", "Inputs", "Matrices", "Simulation"]


class BodyState(NamedTuple):
    """Position and unit quaternion (w, x, y, z), velocity and angular velocity (global) of a body."""

    position: Any
    quaternion: Any
    velocity: Any
    spin: Any


class Matrices:
    """M x'' + D x' + K x + C dlambda = 0, G x = 0 for small changes x about a state; C is G' unless friction depends on joint forces.

    The arrays look into the library's memory, without a copy; they cannot be written.
    """

    def __init__(self, found: Any) -> None:
        owner = _c.Owned(found, lambda p: _c.lib.lmb_matrices_release(ctypes.byref(p)))
        n, m = found.coordinates, found.constraints
        self.M, self.D, self.K = (borrow(owner, getattr(found, k), (n, n)) for k in ("M", "D", "K"))
        self.G, self.C = borrow(owner, found.G, (m, n)), borrow(owner, found.C, (n, m))
        self.names: List[str] = names(found.names, n)
        self.units: List[str] = names(found.units, n)
        self.time = float(found.time)

    def __repr__(self) -> str:
        return f"<limber.Matrices: {len(self.names)} coordinates, {len(self.G)} constraints>"


class Inputs:
    """Inputs by name: ``sim.inputs["torque"] = 3.0``, ``sim.inputs.torque``."""

    _simulation: "Simulation"

    def __init__(self, simulation: "Simulation") -> None:
        object.__setattr__(self, "_simulation", simulation)

    def __getitem__(self, name: str) -> float:
        s = self._simulation
        with s._use() as p:
            return float(_c.lib.lmb_simulation_input(p, s.system._input(name)))

    def __setitem__(self, name: str, value: float) -> None:
        self._simulation.set_input(name, value)

    def __getattr__(self, name: str) -> float:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __setattr__(self, name: str, value: float) -> None:
        self[name] = value

    def __iter__(self) -> Iterator[str]:
        return iter(self._simulation.system._input_numbers)

    def __repr__(self) -> str:
        return repr({name: self[name] for name in self})


class Flow:
    """The motion as x' = f(x, t), for integrators of your own; see :meth:`Simulation.flow`.

    >>> import limber
    >>> m = limber.Model({"bodies": {"ball": {"mass": 1, "inertia": 1, "at": [0, 0, 1]}}, "gravity": [0, 0, -9.81],
    ...                   "sensors": {"ball": {"type": "position", "of": "ball"}}, "analyses": [{"type": "dynamics", "until": 1}]})
    >>> sim = m.system().simulation()
    >>> sim.begin()
    >>> flow = sim.flow()
    >>> flow.event()
    (inf, False)
    >>> x, t, h = flow.x, 0.0, 0.01
    >>> for k in range(100):                                   # the midpoint rule
    ...     x = x + h * flow.rates(x + h / 2 * flow.rates(x, t), t + h / 2)
    ...     t += h
    >>> _ = flow.rates(x, t)
    >>> round(sim["ball.z"], 6)
    -3.905
    """

    def __init__(self, simulation: "Simulation") -> None:
        self._simulation = simulation
        system = simulation.system._handle().pointer
        self._states = int(_c.lib.lmb_system_state_count(system))
        self._indicators = int(_c.lib.lmb_system_indicator_count(system))
        #: typical size of each state
        self.nominal = np.array([_c.lib.lmb_system_state_nominal(system, i) for i in range(self._states)])
        self._call(_c.lib.lmb_simulation_flow_begin)

    def _call(self, function: Any, *arguments: Any, out: Any = None) -> Any:
        with self._simulation._use(change=True) as p:
            before = () if out is None else (out.ctypes.data,)
            _c.call(function, *before, p, *arguments)
        self._simulation._raise()
        return out

    @property
    def x(self) -> Any:
        """The present state."""
        return self._call(_c.lib.lmb_simulation_flow_get, out=np.empty(self._states))

    def set(self, x: Any, time: float) -> None:
        """Sets state and time."""
        values = doubles(x, self._states, "x")
        self._call(_c.lib.lmb_simulation_flow_set, time, values.ctypes.data)

    def rates(self, x: Any, time: float) -> Any:
        """f(x, t); sensors show that state afterwards."""
        self.set(x, time)
        return self._call(_c.lib.lmb_simulation_flow_rates, out=np.empty(self._states))

    def indicators(self) -> Any:
        """Each change of sign within a step is an event."""
        return self._call(_c.lib.lmb_simulation_flow_indicators, out=np.empty(self._indicators))

    def accept(self) -> None:
        """After each step that counts."""
        self._call(_c.lib.lmb_simulation_flow_accept)

    def event(self) -> Any:
        """At an event, and once at the beginning: (time of the next one at the latest, whether the motion ends). Then get x anew."""
        following, stop = ctypes.c_double(), ctypes.c_bool()
        with self._simulation._use(change=True) as p:
            _c.call(_c.lib.lmb_simulation_flow_event, ctypes.byref(following), ctypes.byref(stop), p)
        return following.value, stop.value

    def save(self) -> Any:
        """All that the rest depends on."""
        with self._simulation._use() as p:
            out = np.empty(int(_c.lib.lmb_simulation_flow_size(p)))
        return self._call(_c.lib.lmb_simulation_flow_save, out=out)

    def load(self, saved: Any) -> None:
        """Goes back to what :meth:`save` has given."""
        with self._simulation._use() as p:
            count = int(_c.lib.lmb_simulation_flow_size(p))
        values = doubles(saved, count, "what was saved")
        self._call(_c.lib.lmb_simulation_flow_load, values.ctypes.data)


class Simulation:
    """A state of a system.

    Either run an analysis (:meth:`run`), or begin one and step (:meth:`begin`, :meth:`step`) or advance to given times
    (:meth:`advance`), setting inputs in between. A simulation belongs to one thread at a time.

    >>> import limber
    >>> m = limber.Model('''
    ... limber: 1
    ... inputs: {torque: {unit: N m, min: -50, max: 50}}
    ... bodies: {arm: {mass: 2, inertia: 0.2, at: [0.5, 0, 0], markers: {root: [-0.5, 0, 0]}}}
    ... joints: {pin: {type: revolute, between: [ground, arm.root], axis: [0, 0, 1]}}
    ... forces: {motor: {type: torque, on: arm, axis: [0, 0, 1], value: torque}}
    ... outputs: [pin.angle, pin.angle_rate]
    ... analyses: [{type: dynamics, until: 10}]
    ... ''')
    >>> sim = m.system().simulation()
    >>> sim.begin()
    >>> for k in range(1, 801):
    ...     angle, rate = sim.outputs
    ...     sim.inputs.torque = 60 * (0.5 - angle) - 12 * rate
    ...     done = sim.advance(0.005 * k)
    >>> print(f"{sim['pin.angle']:.4f} rad at t = {sim.time:.1f} s")
    0.5000 rad at t = 4.0 s
    """

    def __init__(self, system: System, threads: int = 1) -> None:
        #: the compiled model; closing another reference to it does not close this one
        self.system = copy.copy(system)
        handle = system._handle()
        self._owned: Optional[_c.Owned] = _c.create(
            _c.lib.lmb_simulation_create, _c.lib.lmb_simulation_destroy, handle.pointer, keep=(handle,)
        )
        self._lock = threading.RLock()
        self._depth = 0
        self._listener: Any = None
        self._listener_errors: List[BaseException] = []
        #: inputs by name
        self.inputs = Inputs(self)
        if threads != 1:
            self.threads(threads)

    @contextmanager
    def _use(self, change: bool = False) -> Iterator[Any]:
        """The pointer, for one call; change: not from a callback of another one."""
        owned = self._owned
        if owned is None:
            raise ValueError("the simulation is closed")
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("another thread is using this simulation; a simulation belongs to one thread at a time")
        try:
            if change and self._depth:
                raise RuntimeError("the simulation is running; a callback can only look at it")
            self._depth += 1
            try:
                yield owned.pointer
            finally:
                self._depth -= 1
        finally:
            self._lock.release()

    def close(self) -> None:
        """Releases the simulation; nothing can be done with it afterwards. It is closed by itself when nobody refers to it."""
        self._owned = None

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def _raise(self) -> None:
        errors, self._listener_errors = self._listener_errors, []
        if errors:
            raise errors[0]
        self.system._raise()

    def _call(self, function: Any, *arguments: Any) -> None:
        with self._use(change=True) as p:
            try:
                _c.call(function, p, *arguments)
            except LimberError:
                self._raise()
                raise
        self._raise()

    def threads(self, count: int) -> None:
        """Shares the work among threads, with the same results (0: as many as suit the model). Ends the analysis in progress."""
        self._call(_c.lib.lmb_simulation_threads, count)

    # ---- stepping ------------------------------------------------------------------------------

    def begin(self, analysis: Union[int, str] = 0, until: Optional[float] = None) -> None:
        """Begins an analysis, by number from 0 or type, from the current state; ``until``: its end in s in place of the model's."""
        number = self.system._analysis(analysis)
        if until is not None:
            with self._use(change=True) as p:
                _c.lib.lmb_simulation_until(p, until)
        self._call(_c.lib.lmb_simulation_begin, number)

    def step(self) -> bool:
        """One step of the integrator, as long as its error control likes; True: the analysis has ended."""
        done = ctypes.c_bool()
        self._call(_c.lib.lmb_simulation_step, ctypes.byref(done))
        return done.value

    def advance(self, time: float, exactly: bool = True) -> bool:
        """Steps on to a time; True: the analysis has ended, or an event has stopped it before.

        ``exactly``: a step ends there, and inputs may be set. Otherwise steps are as long as they like, as in a run, and the state
        is interpolated.
        """
        done = ctypes.c_bool()
        how = _c.value("LMB_ADVANCE_EXACTLY" if exactly else "LMB_ADVANCE_BEYOND")
        self._call(_c.lib.lmb_simulation_advance, time, how, ctypes.byref(done))
        return done.value

    def run(
        self,
        analysis: Union[int, str] = 0,
        watch: Optional[Callable[["Simulation", float, float, bool], Any]] = None,
        progress: Progress = None,
    ) -> None:
        """Runs an analysis from the current state.

        ``watch(simulation, time, until, output)`` is called after every step, and with ``output=True`` at every output time,
        when sensors have the values of that time; if it returns False the run stops.
        """
        number = self.system._analysis(analysis)
        with Watch(progress, self.system._functions) as w:

            def told(user: Any, s: Any, time: float, until: float, output: bool) -> bool:
                try:
                    if watch is not None and watch(self, time, until, output) is False:
                        w.stopped = True
                except BaseException as error:  # nothing may pass through C
                    w.errors.append(error)
                return w.tell(f"t = {time:.4g} of {until:.4g} s", time / until if until > 0 else None)

            callback = _c.callback_type("lmb_progress")(told)
            with self._use(change=True) as p:
                try:
                    _c.call(_c.lib.lmb_simulation_run, p, number, callback, None)
                except LimberError:
                    w.raise_errors()
                    raise
        w.raise_errors()
        self._raise()
        if w.interrupted:
            raise Interrupted()

    def on_event(self, listener: Optional[Callable[[float, str], Any]]) -> None:
        """``listener(time, name)`` is called when an event of the model happens; it may call :meth:`pause`. None: nobody is."""
        if listener is None:
            callback = _c.callback_type("lmb_event_listener")()
        else:
            function = listener

            def told(user: Any, time: float, name: bytes) -> None:
                try:
                    function(time, _c.text(name))
                except BaseException as error:  # nothing may pass through C
                    self._listener_errors.append(error)

            callback = _c.callback_type("lmb_event_listener")(told)
        with self._use(change=True) as p:
            _c.lib.lmb_simulation_listen(p, callback, None)
        self._listener = callback

    def pause(self) -> None:
        """By a listener: :meth:`advance` returns at this event."""
        with self._use() as p:
            _c.lib.lmb_simulation_pause(p)

    # ---- from outside --------------------------------------------------------------------------

    def set_input(self, name: str, value: float, rate: float = 0.0) -> None:
        """From now on the input is value + rate (t - now), in the model's units."""
        self._call(_c.lib.lmb_simulation_input_set, self.system._input(name), value, rate)

    def snapshot(self) -> bytes:
        """Everything that the rest of the motion depends on: a simulation of the same system that restores it goes on bit for bit."""
        with self._use(change=True) as p:
            buffer = ctypes.create_string_buffer(int(_c.lib.lmb_simulation_snapshot_size(p)))
            _c.lib.lmb_simulation_snapshot_save(buffer, p)
        self._raise()
        return buffer.raw

    def restore(self, snapshot: bytes) -> None:
        """Goes back to a snapshot. After one that cannot be restored the simulation is at its initial conditions."""
        self._call(_c.lib.lmb_simulation_snapshot_restore, bytes(snapshot), len(snapshot))

    def continue_from(self, other: "Simulation") -> None:
        """Goes on with the motion of a simulation of the same model with other values of parameters, which was advanced exactly.

        It takes over states, inputs and what events have done; only the integrator begins anew.
        """
        with other._use(change=True) as theirs:
            self._call(_c.lib.lmb_simulation_continue, theirs)

    # ---- looking -------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """The present time, s."""
        with self._use() as p:
            return float(_c.lib.lmb_simulation_time(p))

    def __getitem__(self, sensor: str) -> float:
        """A sensor's column at the current state, SI."""
        with self._use() as p:
            return float(_c.lib.lmb_simulation_sensor(p, self.system._sensor(sensor)))

    def _read(self, numbers: Any) -> Any:
        with self._use() as p:
            return np.array([_c.lib.lmb_simulation_sensor(p, i) for i in numbers])

    @property
    def sensors(self) -> Any:
        """All sensors, in the order of ``system.sensors``."""
        return self._read(range(len(self.system._numbers)))

    @property
    def outputs(self) -> Any:
        """The outputs of the model, in the order of ``system.outputs``."""
        p = self.system._handle().pointer
        return self._read([_c.lib.lmb_system_output(p, i) for i in range(_c.lib.lmb_system_output_count(p))])

    def values(self) -> Dict[str, float]:
        """All sensors by name."""
        return dict(zip(self.system._numbers, (float(v) for v in self.sensors)))

    @property
    def state(self) -> Any:
        """The complete state, as a copy; the first number is the time.

        Setting it ends the analysis in progress; the next one makes it consistent.
        """
        with self._use() as p:
            out = np.empty(int(_c.lib.lmb_simulation_state_size(p)))
            _c.lib.lmb_simulation_state_get(out.ctypes.data, p)
        return out

    @state.setter
    def state(self, state: Any) -> None:
        with self._use(change=True) as p:
            values = doubles(state, int(_c.lib.lmb_simulation_state_size(p)), "the state")
            if not np.isfinite(values).all():
                raise ValueError("the state has numbers that are not finite")
            _c.lib.lmb_simulation_state_set(p, values.ctypes.data)
        self._raise()

    def body(self, name: str) -> BodyState:
        """Position, unit quaternion, velocity and angular velocity of a body."""
        position, velocity = np.empty(7), np.empty(6)
        with self._use() as p:
            _c.call(_c.lib.lmb_simulation_body_get, position.ctypes.data, velocity.ctypes.data, p, name.encode())
        return BodyState(position[:3], position[3:], velocity[:3], velocity[3:])

    def set_body(self, name: str, **parts: Any) -> None:
        """Sets ``position``, ``quaternion``, ``velocity``, ``spin`` of a body; what is not given stays."""
        unknown = set(parts) - set(BodyState._fields)
        if unknown:
            raise TypeError(f"unknown {sorted(unknown)}; a body has {list(BodyState._fields)}")
        given: Mapping[str, Any] = {
            k: doubles(v, 4 if k == "quaternion" else 3, k) for k, v in parts.items() if v is not None
        }
        now = self.body(name)._replace(**given)
        position, velocity = np.concatenate(now[:2]), np.concatenate(now[2:])
        self._call(_c.lib.lmb_simulation_body_set, name.encode(), position.ctypes.data, velocity.ctypes.data)

    def _six(self, function: Any, name: str) -> Any:
        out = np.empty(6)
        with self._use() as p:
            _c.call(function, out.ctypes.data, p, name.encode())
        self._raise()
        return out

    def acceleration(self, body: str) -> Any:
        """After :meth:`begin`: acceleration (3) and angular acceleration (3, global) of a body."""
        return self._six(_c.lib.lmb_simulation_acceleration, body)

    def reaction(self, joint: str) -> Any:
        """After :meth:`begin`: force (3) and torque (3) of a joint on its second body at its marker, global axes."""
        return self._six(_c.lib.lmb_simulation_reaction, joint)

    def force(self, force: str) -> Any:
        """After :meth:`begin`: force (3) and torque (3) of a force element on its first body, global axes."""
        return self._six(_c.lib.lmb_simulation_force, force)

    def motion(self) -> Tuple[Any, Any]:
        """After :meth:`begin`: the present state x as in :meth:`flow` and its rates, whoever integrates."""
        count = int(_c.lib.lmb_system_state_count(self.system._handle().pointer))
        x, rates = np.zeros(count), np.zeros(count)
        with self._use() as p:
            _c.lib.lmb_simulation_motion(x.ctypes.data, rates.ctypes.data, p)
        return x, rates

    # ---- linearised ----------------------------------------------------------------------------

    def matrices(self) -> Matrices:
        """Mass, damping, stiffness and constraints about the current state."""
        found = _c.struct("lmb_matrices")
        with self._use(change=True) as p:
            _c.call(_c.lib.lmb_simulation_matrices, ctypes.byref(found), p)
        self._raise()
        return Matrices(found)

    def linearise(self) -> StateSpace:
        """The state space about the current state, from all inputs to all outputs."""
        l = _c.struct("lmb_linear")
        with self._use(change=True) as p:
            _c.call(_c.lib.lmb_simulation_linearise, ctypes.byref(l), p)
        self._raise()
        owner = _c.Owned(l, lambda p: _c.lib.lmb_linear_release(ctypes.byref(p)))
        out = StateSpace(owner, l, [f"{kind}_{what}" for kind in ("state", "input", "output") for what in ("names", "units")])
        out.output_error, out.time = borrow(owner, l.output_error, (l.outputs,)), float(l.time)
        return out

    def flow(self) -> Flow:
        """After :meth:`begin`: hands the motion over as x' = f(x, t) to an integrator of yours."""
        return Flow(self)

    def __repr__(self) -> str:
        return "<limber.Simulation, closed>" if self._owned is None else f"<limber.Simulation at t = {self.time:.6g} s>"
