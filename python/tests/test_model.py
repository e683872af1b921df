"""Models: reading, editing, checking, errors."""

import json

import numpy as np
import pytest
from conftest import ARM

import limber


def test_from_file_text_and_dictionary_are_the_same(tmp_path, arm):
    (tmp_path / "arm.yaml").write_text(ARM)
    from_file = limber.load(tmp_path / "arm.yaml")
    from_dict = limber.Model(arm.to_dict())
    wanted = arm.run()["tip"]
    assert np.array_equal(from_file.run()["tip"], wanted)
    assert np.array_equal(from_dict.run()["tip"], wanted)
    assert from_file.to_yaml() == ARM


def test_edits(arm):
    arm.bodies.arm.mass = 2.5
    assert arm["bodies.arm.mass"] == 2.5 and arm.bodies.arm.mass == 2.5
    arm["parameters.L"] = 0.5
    arm.bodies.arm.inertia = np.array([0.01, 0.02, 0.02])
    assert arm.bodies.arm.inertia.to_python() == [0.01, 0.02, 0.02]
    arm.bodies.arm.inertia[2] = 0.025
    assert arm.bodies.arm.inertia[-1] == 0.025
    arm.analyses[0].until = 0.5
    arm.analyses.append({"type": "modes", "count": 1})
    assert len(arm.analyses) == 2 and arm.analyses[1].type == "modes"
    del arm.analyses[1]
    del arm.sensors.pin
    assert arm.sensors.keys() == ["tip"] and "sensors.pin" not in arm and "sensors.tip" in arm
    arm.sensors.end = {"type": "velocity", "of": "arm.tip"}
    r = arm.run()
    assert r.parameters == {"L": 0.5} and r.time[-1] == 0.5
    assert r.columns("end") == ["end.x", "end.y", "end.z"]


def test_sections_can_be_made():
    m = limber.Model()
    m.bodies.ball = {"mass": 1, "inertia": 1}
    m.sensors.ball = {"type": "position", "of": "ball"}
    m.gravity = (0, 0, -10)
    m.analyses = [{"type": "dynamics", "until": 1}]
    assert m.run()["ball.z"][-1] == pytest.approx(-5, rel=1e-9)


def test_a_copy_is_independent(arm):
    other = arm.copy()
    other.parameters.L = 0.9
    assert arm.parameters.L == 0.4 and other.parameters.L == 0.9


def test_yaml_of_an_edited_model_reads_the_same(arm, tmp_path):
    arm.bodies.arm.mass = 3
    arm.title = 'a "quoted" text: with # marks, yes'
    arm.save(tmp_path / "edited.yaml")
    again = limber.load(tmp_path / "edited.yaml")
    assert again.to_dict() == arm.to_dict() and again.to_dict()["title"] == 'a "quoted" text: with # marks, yes'
    assert np.array_equal(again.run()["tip"], arm.run()["tip"])


@pytest.mark.parametrize(
    "value", [True, False, None, 0, -3, 1e-300, 0.1 + 0.2, "on", "null", "2.0", "", "ü \n\t\"\\", [], {}, [[1, "a"], {"b": []}]]
)
def test_values_come_back_as_they_are(value):
    m = limber.Model({"note": {"x": [value]}})
    assert m.to_dict()["note"]["x"] == [value]
    assert type(m.to_dict()["note"]["x"][0]) is type(value)


def test_numbers_that_json_does_not_know():
    m = limber.Model("limber: 1\nparameters: {a: .5, b: 5., c: +3, d: 007, e: 1e3, f: yes, g: '007'}\n")
    assert m.to_dict()["parameters"] == {"a": 0.5, "b": 5.0, "c": 3, "d": 7, "e": 1000.0, "f": True, "g": "007"}
    assert json.dumps(m.to_dict())


def test_errors_have_file_line_and_remedy(tmp_path):
    (tmp_path / "wrong.yaml").write_text("limber: 1\nbodies:\n  arm: {mas: 2}\n")
    with pytest.raises(limber.InvalidInput) as caught:
        limber.load(tmp_path / "wrong.yaml").check()
    assert caught.value.file.endswith("wrong.yaml") and (caught.value.line, caught.value.column) == (3, 9)
    assert "did you mean 'mass'" in caught.value.message
    assert str(caught.value).startswith(f"{tmp_path}/wrong.yaml:3:9: error: ")


def test_lines_of_a_dictionary_are_those_of_its_yaml():
    m = limber.Model({"gravity": [0, 0, -9.81], "bodies": {"a": {"mass": 1, "inertia": 1}, "b": {"mas": 1}}})
    with pytest.raises(limber.InvalidInput) as caught:
        m.check()
    assert "mas" in m.to_yaml().splitlines()[caught.value.line - 1]


def test_edits_leave_the_lines_of_the_rest(arm):
    arm.parameters.L = 0.5
    arm.joints.pin.axes = [0, 0, 1]
    with pytest.raises(limber.InvalidInput, match=r"arm.yaml:7|joints.pin.axes") as caught:
        arm.check()
    assert "axes" in str(caught.value)


def test_errors_of_syntax_and_files(tmp_path):
    with pytest.raises(limber.InvalidInput, match=":2:"):
        limber.Model("limber: 1\nbodies: [\n")
    with pytest.raises(limber.LimberError, match="nowhere.yaml"):
        limber.load(tmp_path / "nowhere.yaml")
    with pytest.raises(ValueError, match="character 0"):
        limber.Model("limber: 1\0")


def test_what_is_not_there_is_an_error(arm):
    with pytest.raises(AttributeError, match="did you mean 'arm'"):
        arm.bodies.amr
    with pytest.raises(KeyError, match="gravitty|no 'gravitty'"):
        arm["gravitty"]
    with pytest.raises(limber.InvalidInput, match="cannot delete 'bodies.leg'"):
        del arm.bodies.leg
    with pytest.raises(AttributeError, match="method of Model"):
        arm.check = 3
    with pytest.raises(TypeError, match="cannot contain"):
        arm.bodies.arm.mass = object()


def test_check_is_that_of_the_program(arm, cli, tmp_path):
    (tmp_path / "arm.yaml").write_text(ARM)
    assert arm.check() in cli("check", "arm.yaml")
    assert arm.check(L=0.8) != arm.check()


def test_unknown_parameters_are_refused(arm):
    with pytest.raises(limber.InvalidInput, match="K"):
        arm.run(K=1)
