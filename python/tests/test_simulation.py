"""Simulations: stepping, inputs, snapshots, callbacks, matrices."""

import numpy as np
import pytest
from conftest import RAIL

import limber


def begun(model, **options):
    sim = model.system(**options).simulation()
    sim.begin()
    return sim


def test_steps_and_runs_end_alike(arm):
    system = arm.system()
    one, other = system.simulation(), system.simulation()
    one.run()
    other.begin("dynamics")
    steps = 0
    while not other.step():
        steps += 1
    assert steps > 10
    assert one["tip.x"] == other["tip.x"] == arm.run()["tip.x"][-1]


def test_advance_beyond_sees_what_a_run_writes(arm):
    r = arm.run()
    sim = begun(arm)
    for k in range(1, 101):
        sim.advance(r.time[k], exactly=False)
        assert sim["tip.y"] == pytest.approx(r["tip.y"][k], abs=1e-12)


def test_control_in_python(servo):
    sim = begun(servo)
    integral = 0.0
    for k in range(1, 801):
        angle, rate = sim.outputs
        integral += 0.005 * (0.5 - angle)
        sim.inputs.torque = max(-50, min(50, 60 * (0.5 - angle) + 80 * integral - 12 * rate))
        assert not sim.advance(0.005 * k)
    assert sim["pin.angle"] == pytest.approx(0.5, abs=0.01)
    assert sim.inputs["torque"] == pytest.approx(9.81 * np.cos(0.5), rel=0.02)
    assert list(sim.inputs) == ["torque"] and sim.system.inputs[0] == ("torque", "N m", 0.0, -50.0, 50.0)


def test_rates_of_inputs(servo):
    sim = begun(servo)
    sim.set_input("torque", 1.0, rate=2.0)
    sim.advance(0.25)
    assert sim.inputs.torque == pytest.approx(1.5, rel=1e-12)


def test_ranges_and_names(servo):
    sim = begun(servo)
    with pytest.raises(limber.InvalidInput, match="torque"):
        sim.inputs.torque = 51
    with pytest.raises(KeyError, match="did you mean 'torque'"):
        sim.inputs["torqe"] = 1
    with pytest.raises(KeyError, match="did you mean 'pin.angle'"):
        sim["pin.angel"]
    with pytest.raises(IndexError, match="no analysis 3"):
        sim.begin(3)
    with pytest.raises(limber.InvalidInput, match="unknown body"):
        sim.body("leg")
    sim.advance(0.3)
    with pytest.raises(limber.InvalidInput, match="go back"):
        sim.advance(0.2)


def test_what_cannot_be_done_yet_is_an_error(arm):
    sim = arm.system().simulation()
    for call in (sim.step, lambda: sim.advance(1.0), sim.flow, lambda: sim.acceleration("arm"), lambda: sim.restore(b"x")):
        with pytest.raises(limber.InvalidInput):
            call()
    with pytest.raises(ValueError, match="numbers; it needs"):
        sim.state = [1.0]
    with pytest.raises(ValueError, match="not finite"):
        sim.state = np.full(len(sim.state), np.nan)


def test_snapshots_go_on_bit_for_bit(servo):
    sim = begun(servo)
    sim.inputs.torque = 3
    sim.advance(0.3)
    kept = sim.snapshot()
    sim.advance(0.6)
    wanted = sim.state
    sim.restore(kept)
    assert sim.time == pytest.approx(0.3)
    sim.advance(0.6)
    other = sim.system.simulation()
    other.restore(kept)
    other.advance(0.6)
    assert np.array_equal(sim.state, wanted) and np.array_equal(other.state, wanted)
    with pytest.raises(limber.InvalidInput):
        other.restore(kept[:-8])


def test_parameters_change_during_a_motion():
    m = limber.Model(RAIL + "parameters: {k: 50, L: 1}\nanalyses: [{type: dynamics, until: 1}]\n")
    m.joints.rail.spring.stiffness = "k"
    m.joints.rail.start = {"position": 0.1}
    m.bodies.block.at = ["L - 1 + 0.1", 0, 0]
    sim = m.system().simulation()
    sim.begin()
    sim.advance(0.25)
    x = sim["rail.position"]
    stiff = m.system(k=5000).simulation()
    stiff.begin()
    stiff.continue_from(sim)
    assert stiff.time == pytest.approx(0.25) and stiff["rail.position"] == pytest.approx(x, abs=1e-12)
    stiff.advance(0.3)
    sim.advance(0.3)
    assert abs(stiff["rail.position"] - sim["rail.position"]) > 1e-3
    assert m.system().parameter_use("k") == "" and "at" in m.system().parameter_use("L")


def test_state_and_bodies(arm):
    sim = arm.system().simulation()
    first = sim.state
    sim.set_body("arm", spin=[0, 0, 2.0], velocity=[0, 0.4, 0])
    body = sim.body("arm")
    assert np.allclose(body.spin, [0, 0, 2]) and np.allclose(body.position, [0.2, 0, 0])
    sim.run()
    moved = sim["tip.y"]
    sim.state = first
    sim.run()
    assert sim["tip.y"] == arm.run()["tip.y"][-1] != moved
    with pytest.raises(TypeError, match="unknown"):
        sim.set_body("arm", place=[0, 0, 0])


def test_accelerations_and_loads(arm):
    """A rod that is released from the horizontal: alpha = m g L/2 / I_root, reaction m (g + a)."""
    sim = begun(arm)
    root = 0.03 + 2 * 0.2**2
    alpha = -2 * 9.81 * 0.2 / root
    a = sim.acceleration("arm")
    assert np.allclose(a, [0, 0.2 * alpha, 0, 0, 0, alpha], atol=1e-9)
    assert np.allclose(sim.reaction("pin")[:3], [0, 2 * (9.81 + 0.2 * alpha), 0], atol=1e-9)
    m = sim.matrices()
    assert len(m.names) == len(m.M) and np.allclose(m.M, m.M.T) and m.G.shape == (5, 6) or m.G.shape[1] == len(m.names)
    assert not m.M.flags.writeable


def test_forces_of_elements(servo):
    sim = begun(servo)
    sim.inputs.torque = 4
    sim.advance(0.1)
    assert abs(sim.force("motor")[5]) == pytest.approx(4)


def test_linearise(servo):
    sim = begun(servo)
    l = sim.linearise()
    root = 0.2 + 2 * 0.25
    assert (l.input_names, l.output_names) == (["torque"], ["pin.angle", "pin.angle_rate"])
    # at the horizontal gravity has no stiffness: s^2 = 1/I
    assert np.allclose(l.response(1.0)[0, 0], -1 / (root * (2 * np.pi) ** 2), rtol=1e-6)
    assert l.response([1.0, 2.0]).shape == (2, 2, 1)


def test_linearise_of_a_run_is_that_of_the_simulation(tmp_path):
    m = limber.Model(RAIL)
    m.analyses = [{"type": "linearise"}, {"type": "response", "from": 0.1, "to": 0.3, "points": 3}]
    r = m.run()
    mine = m.system().simulation().linearise()
    theirs = r.state_space
    for k in "ABCD":
        assert np.array_equal(getattr(mine, k), getattr(theirs, k))
    answer = r["response"].response("rail.position", "push")
    assert np.allclose(answer, theirs.response(r["response"].frequency)[:, 0, 0], rtol=1e-9)


def test_listeners_and_pause(servo):
    sim = begun(servo)
    seen = []
    sim.on_event(lambda time, name: (seen.append((time, name)), sim.pause()))
    ended = sim.advance(5.0)
    assert ended and seen[0][1] == "quarter" and sim["pin.angle"] == pytest.approx(-np.pi / 2, abs=1e-5)
    assert sim.time == pytest.approx(seen[0][0])


def test_an_exception_of_a_listener_is_raised(servo):
    sim = begun(servo)

    def told(time, name):
        raise LookupError(name)

    sim.on_event(told)
    with pytest.raises(LookupError, match="quarter"):
        sim.advance(5.0)


def test_watching_a_run(arm):
    sim, rows = arm.system().simulation(), []

    def watch(s, time, until, output):
        if output:
            rows.append((time, s["tip.y"]))
        return time < 0.5

    sim.run(watch=watch)
    r = arm.run()
    for time, y in rows[:40]:
        k = int(round(time / 0.01))
        assert y == r["tip.y"][k]
    assert 0.5 <= sim.time < 0.6


def test_callbacks_only_look(arm):
    sim = arm.system().simulation()

    def watch(s, time, until, output):
        s.state = s.state

    with pytest.raises(RuntimeError, match="can only look"):
        sim.run(watch=watch)


def test_a_callback_that_closes_does_no_harm(arm):
    sim = arm.system().simulation()
    sim.run(watch=lambda s, time, until, output: s.close())
    with pytest.raises(ValueError, match="closed"):
        sim.time


def test_threads_of_one_simulation(arm):
    system = arm.system()
    one, two = system.simulation(), system.simulation(threads=2)
    one.run()
    two.run()
    assert np.array_equal(one.state, two.state)


def test_flow_saves_and_loads(arm):
    sim = begun(arm)
    x, rates = sim.motion()
    flow = sim.flow()
    flow.event()
    assert np.allclose(flow.x, x) and np.allclose(flow.rates(flow.x, 0.0)[: len(rates)], rates, atol=1e-6)
    kept = flow.save()
    moved = flow.x + 1e-3 * flow.rates(flow.x, 0.0)
    flow.set(moved, 1e-3)
    flow.load(kept)
    assert np.array_equal(flow.x, x) and len(flow.nominal) == len(x)
    with pytest.raises(limber.InvalidInput, match="another program"):
        sim.step()


# ---- functions of Python -------------------------------------------------------------------------


def spring(k=-50.0):
    m = limber.Model(
        {
            "bodies": {"block": {"mass": 2, "inertia": 1}},
            "joints": {"rail": {"type": "translational", "between": ["ground", "block"], "axis": [1, 0, 0], "start": {"position": 0.1}}},
            "forces": {"spring": {"type": "force", "on": "block", "axis": [1, 0, 0], "value": f"{k}*rail.position"}},
            "sensors": {"x": {"type": "coordinate", "of": "rail"}},
            "analyses": [{"type": "dynamics", "until": 1, "tolerance": 1e-9, "integrator": "alpha"}],
        }
    )
    return m


def test_forces_as_functions():
    wanted = spring().run()["x"][-1]
    assert wanted == pytest.approx(0.1 * np.cos(5), abs=1e-5)  # of an amplitude of 0.1
    for gradient in (None, lambda x, v: (-50.0, 0.0)):
        m = spring()
        m.forces.spring.value = "law(rail.position, rail.position_rate)"
        m.function("law", lambda x, v: -50.0 * x, gradient=gradient)
        r = m.run()
        assert r["x"][-1] == pytest.approx(wanted, abs=1e-8)


def test_signals_as_functions():
    m = spring()
    m.signals.pull = {"type": "expression", "value": "law(t)"}
    m.forces.spring.value = "pull"
    m.function("law", lambda t: 2.0 * t)
    assert m.run()["x"][-1] == pytest.approx(0.1 + 1 / 6, abs=1e-5)


def test_exceptions_of_functions_are_raised():
    m = spring()
    m.forces.spring.value = "law(rail.position)"

    def law(x):
        if x < 0.05:
            raise LookupError("x is small")
        return -50 * x

    m.function("law", law)
    with pytest.raises(LookupError, match="x is small"):
        m.run()
    m.function("law", lambda x: -50 * x, gradient=lambda x: (1, 2, 3))
    with pytest.raises(ValueError, match="3 numbers; it needs 1"):
        m.run()


def test_functions_need_their_arguments():
    m = spring()
    m.forces.spring.value = "law(rail.position)"
    with pytest.raises(limber.InvalidInput, match="law"):
        m.run()
    m.function("law", lambda a, b: a)
    with pytest.raises(limber.InvalidInput, match="law"):
        m.run()
