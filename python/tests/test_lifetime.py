"""Objects live as long as they are needed, and no longer; closed ones are exceptions."""

import gc
import os
import resource

import numpy as np
import pytest
from conftest import ARM, ROD, SERVO

import limber
from limber import _c


def test_simulations_keep_their_system():
    sim = limber.Model(ARM).system().simulation()
    gc.collect()
    sim.run()
    assert np.isfinite(sim["tip.x"])


def test_closed_systems_and_simulations(arm):
    system = arm.system()
    sim = system.simulation()
    system.close()
    for use in (system.simulation, system.report, lambda: system.run(), lambda: system.sensors, lambda: system.inputs):
        with pytest.raises(ValueError, match="closed"):
            use()
    sim.run()  # has what it needs
    with sim:
        pass
    for use in (sim.step, lambda: sim.time, lambda: sim["tip.x"], lambda: sim.state, sim.snapshot, lambda: sim.body("arm")):
        with pytest.raises(ValueError, match="closed"):
            use()
    sim.close()
    assert "closed" in repr(sim)


def test_matrices_outlive_their_simulation(arm):
    sim = arm.system().simulation()
    sim.begin()
    M, A = sim.matrices().M, sim.linearise().A
    copies = M.copy(), A.copy()
    del sim
    gc.collect()
    for _ in range(20):
        limber.Model(ARM).system().simulation()
    assert np.array_equal(M, copies[0]) and np.array_equal(A, copies[1])


def test_functions_live_as_long_as_their_system():
    m = limber.Model(SERVO)
    m.forces.motor.value = "law(t)"
    m.function("law", lambda t: 2.0)
    sim = m.system().simulation()
    del m
    gc.collect()
    sim.begin()
    sim.advance(0.1)
    assert sim.time == pytest.approx(0.1)


def test_everything_that_is_created_is_destroyed(monkeypatch):
    """As many objects destroyed as created, of each kind."""
    counts = {}

    class Counted(_c.Owned):
        __slots__ = ("name",)

        def __init__(self, pointer, destroy, *keep):
            super().__init__(pointer, destroy, *keep)
            self.name = getattr(destroy, "__name__", str(destroy))
            made = counts.setdefault(self.name, [0, 0])
            made[0] += 1

        def __del__(self):
            counts[self.name][1] += 1
            super().__del__()

    monkeypatch.setattr(_c, "Owned", Counted)
    for _ in range(3):
        m = limber.Model(SERVO)
        m.forces.motor.value = "law(torque)"
        m.function("law", lambda x: x)
        sim = m.system().simulation()
        sim.on_event(lambda time, name: None)
        sim.begin()
        sim.advance(0.1)
        sim.linearise()
        sim.matrices()
        m.run().events
        m.env(every=0.1).reset()
        limber.reduce(limber.Model(ROD)).K
        limber.modes(limber.Model(ROD), 2)
    del m, sim
    gc.collect()
    assert len(counts) >= 6 and all(made == gone > 0 for made, gone in counts.values()), counts


def memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_memory_stays(tmp_path):
    def once():
        m = limber.Model(SERVO)
        system = m.system()
        sim = system.simulation()
        sim.begin()
        sim.advance(0.2)
        sim.restore(sim.snapshot())
        sim.linearise()
        with system.run(tmp_path / "a.h5") as r:
            _ = r["pin.angle"], r.events, r.stats, r.parameters, r.describe()
        try:
            limber.Model("limber: 1\nbodies: {a: {mas: 1}}").check()
        except limber.InvalidInput:
            pass

    for _ in range(30):
        once()
    gc.collect()
    before = memory()
    for _ in range(150):
        once()
    gc.collect()
    assert memory() - before < 4e6, (memory() - before) / 150  # a leak of one simulation or file would be 10 kB a time or more


def test_no_temporary_files_stay(tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    m = limber.Model(ARM)
    r = m.run()
    body = limber.reduce(limber.Model(ROD))
    assert os.listdir(tmp_path)
    del r, body
    gc.collect()
    assert os.listdir(tmp_path) == []
