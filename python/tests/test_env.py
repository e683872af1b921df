"""Environments."""

import numpy as np
import pytest

import limber


def run(env, seed=None, gain=60.0):
    observation, info = env.reset(seed=seed)
    out, over = [observation], False
    while not over:
        angle, rate = observation
        observation, reward, terminated, truncated, info = env.step([gain * (0.5 - angle) - 12 * rate])
        out.append(observation)
        over = terminated or truncated
    return np.array(out), terminated, truncated, info


def test_episodes_repeat_bit_for_bit(servo):
    env = servo.env(every=0.02)
    first, terminated, truncated, info = run(env)
    again = run(env)[0]
    assert np.array_equal(first, again) and truncated and not terminated
    assert len(first) == 501 and info["time"] == pytest.approx(10)
    sim = servo.system().simulation()
    sim.begin()
    for k in range(1, 51):
        angle, rate = sim.outputs
        sim.inputs.torque = np.clip(60 * (0.5 - angle) - 12 * rate, -50, 50)
        sim.advance(0.02 * k)
    assert np.array_equal(sim.outputs, first[50])


def test_start_is_random_by_seed(servo):
    def start(sim, rng):
        angle = rng.uniform(-1, 1)
        sim.set_body("arm", position=[0.5 * np.cos(angle), 0.5 * np.sin(angle), 0], quaternion=[np.cos(angle / 2), 0, 0, np.sin(angle / 2)])

    env = servo.env(every=0.05, start=start)
    one, _ = env.reset(seed=3)
    other, _ = env.reset(seed=3)
    third, _ = env.reset()
    assert np.array_equal(one, other) and not np.array_equal(one, third) and abs(one[0]) > 1e-3


def test_rewards_and_ends(servo):
    env = servo.env(every=0.05, reward=lambda sim, action: float(action[0]), terminated=lambda sim: sim["pin.angle"] > 0.2)
    env.reset()
    assert env.step([1000])[1] == 50.0  # within the range of the input
    over = False
    while not over:
        *_, over, truncated, info = env.step([50])
    assert not truncated and env.simulation["pin.angle"] > 0.2


def test_events_that_stop_terminate(servo):
    env = servo.env(every=0.05)
    env.reset()
    terminated = truncated = False
    while not (terminated or truncated):
        observation, _, terminated, truncated, info = env.step([0])
    assert terminated and not truncated and observation[0] == pytest.approx(-np.pi / 2, abs=1e-4) and info["time"] < 1


def test_failures_terminate(servo):
    servo.forces.bad = {"type": "force", "on": "arm", "axis": [1, 0, 0], "value": "1/sqrt(0.3 - t)"}
    env = servo.env(every=0.05)
    env.reset()
    over = False
    while not over:
        _, reward, over, truncated, info = env.step([9.81])
    assert "error" in info and info["time"] < 0.31 and np.isnan(reward)
    env.reset()
    assert "error" not in env.step([0])[4]


def test_spaces_and_names(servo):
    env = servo.env(every=0.1, observations=["pin.angle"])
    assert env.action_space.low == [-50] and env.action_space.high == [50] and env.action_space.shape == (1,)
    assert env.observation_space.shape == (1,) and env.reset()[0].shape == (1,)
    with pytest.raises(ValueError, match=r"sets \['torque'\]"):
        env.step([1, 2])
    with pytest.raises(KeyError, match="did you mean"):
        servo.env(every=0.1, actions=["torqe"])
    with pytest.raises(ValueError, match="positive"):
        servo.env(every=0)
    env.close()
    with pytest.raises(ValueError, match="closed"):
        env.reset()


def test_parameters_of_the_model(arm):
    assert arm.env(every=0.1, L=0.7, observations=["tip.x"]).reset()[0] == pytest.approx(0.7)
    assert limber.Env(arm.system(), every=0.1, observations=["tip.x"]).reset()[0] == pytest.approx(0.4)
