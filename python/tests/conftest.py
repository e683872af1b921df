"""Models that several tests use; the program of the build beside the library."""

import os
import subprocess
from pathlib import Path

import pytest

import limber

ROOT = Path(__file__).resolve().parents[2]

ARM = """\
limber: 1
parameters: {L: 0.4}
gravity: [0, -9.81, 0]
bodies:
  arm: {mass: 2, inertia: [0.01, 0.03, 0.03], at: [L/2, 0, 0], markers: {root: [-L/2, 0, 0], tip: [L/2, 0, 0]}}
joints:
  pin: {type: revolute, between: [ground, arm.root], axis: [0, 0, 1]}
sensors:
  tip: {type: position, of: arm.tip}
  pin: {type: reaction, of: pin}
analyses:
  - {type: dynamics, until: 1, every: 0.01}
"""

SERVO = """\
limber: 1
gravity: [0, -9.81, 0]
inputs: {torque: {unit: N m, min: -50, max: 50}}
bodies:
  arm: {mass: 2, inertia: 0.2, at: [0.5, 0, 0], markers: {root: [-0.5, 0, 0]}}
joints:
  pin: {type: revolute, between: [ground, arm.root], axis: [0, 0, 1]}
forces:
  motor: {type: torque, on: arm, axis: [0, 0, 1], value: torque}
outputs: [pin.angle, pin.angle_rate]
events:
  quarter: {when: pin.angle + 1.5707963, stop: true}
analyses:
  - {type: dynamics, until: 10}
"""

RAIL = """\
limber: 1
inputs: {push: {unit: N}}
bodies: {block: {mass: 2, inertia: 1}}
joints: {rail: {type: translational, between: [ground, block], axis: [1, 0, 0], spring: {stiffness: 50, damping: 2}}}
forces: {push: {type: force, on: block, axis: [1, 0, 0], value: push}}
outputs: [rail.position]
"""

ROD = "limber: 1\npart: {type: beam, length: 0.3, section: {circle: 6 mm}, material: steel, elements: 4}\n"


def program():
    """The program of the same build, which results are compared with."""
    given = os.environ.get("LIMBER_PROGRAM")
    path = Path(given) if given else Path(limber.library_path()).resolve().parent / "limber"
    return path if path.exists() else None


@pytest.fixture
def cli(tmp_path):
    """Runs the program in a scratch folder; returns what it printed."""
    found = program()
    if found is None:
        pytest.skip("the program is not beside the library; LIMBER_PROGRAM can name it")

    def run(*arguments, code=0):
        done = subprocess.run([str(found), *map(str, arguments)], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        return done.stdout

    return run


@pytest.fixture
def arm():
    return limber.Model(ARM, name="arm.yaml")


@pytest.fixture
def servo():
    return limber.Model(SERVO, name="servo.yaml")
