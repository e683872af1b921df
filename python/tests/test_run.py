"""Runs against those of the program: the same bits; Ctrl-C, resuming, failures."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from conftest import ARM, ROOT

import limber

EXAMPLES = ROOT / "examples"


def same(mine, theirs):
    """All tables of all analyses have the same bits."""
    assert [a.name for a in mine] == [a.name for a in theirs]
    for a, b in zip(mine, theirs):
        assert a.tables == b.tables and np.array_equal(a.time, b.time, equal_nan=True)
        for t in a.tables:
            assert a.table(t).columns == b.table(t).columns
            assert np.array_equal(a.table(t).values, b.table(t).values, equal_nan=True), (a.name, t)


@pytest.mark.parametrize("name", ["pendulum", "four_bar", "flexible_pendulum", "flexible_joint", "blade"])
def test_runs_are_those_of_the_program(name, cli, tmp_path):
    model = EXAMPLES / f"{name}.yaml"
    if not model.exists():
        pytest.skip("no examples")
    cli("run", model, "-q", "-o", "theirs.h5")
    mine = limber.load(model).run(tmp_path / "mine.h5")
    same(mine, limber.open(tmp_path / "theirs.h5"))


def test_parameters_and_edits_are_settings_of_the_program(arm, cli, tmp_path):
    (tmp_path / "arm.yaml").write_text(ARM)
    cli("run", "arm.yaml", "-q", "--set", "L=0.7", "-o", "theirs.h5")
    theirs = limber.open(tmp_path / "theirs.h5")
    same(arm.run(L=0.7), theirs)
    same(arm.run(parameters={"L": "0.35*2"}), theirs)
    arm.parameters.L = 0.7
    same(arm.run(), theirs)


def test_a_model_runs_often(arm):
    assert np.array_equal(arm.run()["tip"], arm.run()["tip"])


def test_summary_and_temporary_file(arm, tmp_path):
    r = arm.run()
    path = r.path
    assert "01_dynamics done" in r.summary and os.path.exists(path)
    del r
    assert not os.path.exists(path)
    kept = arm.run(tmp_path / "kept.h5")
    del kept
    assert (tmp_path / "kept.h5").exists()


def test_progress_tells_and_stops(arm, capsys):
    seen = []
    arm.run(progress=lambda what, done: seen.append((what, done)))
    assert seen[-1][1] == pytest.approx(1) and "01_dynamics" in seen[-1][0]
    done = [d for _, d in seen if d is not None]
    assert done == sorted(done)
    stopped = arm.run(progress=lambda what, done: (done or 0) < 0.5)
    assert stopped["dynamics"].status == "stopped" and 0.4 < stopped.time[-1] < 0.7
    arm.run(progress=False)
    assert capsys.readouterr().err == ""
    arm.run(progress=True)
    assert "%" in capsys.readouterr().err


def test_an_exception_of_progress_ends_the_run(arm):
    class Mine(Exception):
        pass

    def told(what, done):
        raise Mine

    with pytest.raises(Mine):
        arm.run(progress=told)


def test_stopped_runs_resume_bit_for_bit(arm, tmp_path):
    whole = arm.run()
    part = arm.run(tmp_path / "a.h5", progress=lambda what, done: (done or 0) < 0.5)
    assert part.time[-1] < 0.9
    same(arm.run(tmp_path / "a.h5", resume=True), whole)


def test_solver_failures_keep_results(tmp_path):
    m = limber.Model(
        {
            "bodies": {"a": {"mass": 1, "inertia": 1}},
            "forces": {"f": {"type": "force", "on": "a", "axis": [1, 0, 0], "value": "1/sqrt(0.5 - t)"}},
            "sensors": {"a": {"type": "position", "of": "a"}},
            "analyses": [{"type": "dynamics", "until": 1, "every": 0.1}],
        }
    )
    with pytest.raises(limber.SolverFailure) as caught:
        m.run(tmp_path / "failed.h5")
    assert caught.value.results["dynamics"].status == "failed" and len(caught.value.results.time) >= 5


def test_invalid_input_leaves_no_file(arm, tmp_path):
    arm.bodies.arm.mass = -1
    with pytest.raises(limber.InvalidInput):
        arm.run(tmp_path / "none.h5")
    assert list(tmp_path.iterdir()) == []


def test_foreign_files_are_not_written_over(arm, tmp_path):
    (tmp_path / "text.h5").write_text("not ours")
    with pytest.raises(limber.LimberError, match="not a limber results file|is not"):
        arm.run(tmp_path / "text.h5")
    assert (tmp_path / "text.h5").read_text() == "not ours"


INTERRUPTED = """
import os, signal, sys, limber
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell starts it in the background
model = limber.Model(open(sys.argv[1]).read())
model.analyses[0].until = 20000
sent = []
def told(what, done):
    if not sent and (done or 0) > 1e-4:
        sent.append(os.kill(os.getpid(), signal.SIGINT))
try:
    model.run("a.h5", progress=told)
except KeyboardInterrupt as error:
    r = error.results
    print(type(error).__name__, r.path, r["dynamics"].status, len(r.time) > 1)
"""


def environment():
    folder = Path(limber.__file__).resolve().parents[1]
    return {**os.environ, "PYTHONPATH": str(folder), "LIMBER_LIBRARY": limber.library_path()}


def test_ctrl_c_stops_and_keeps_the_results(tmp_path):
    (tmp_path / "arm.yaml").write_text(ARM)
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, "arm.yaml"], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60
    )
    assert (done.stdout.split(), done.stderr) == (["Interrupted", "a.h5", "stopped", "True"], "")


def test_ctrl_c_of_others_stays_theirs(arm):
    before = signal.getsignal(signal.SIGINT)
    arm.run()
    assert signal.getsignal(signal.SIGINT) is before


def test_results_can_be_read_while_they_are_written(tmp_path):
    m = limber.Model(ARM.replace("until: 1", "until: 20000"))
    go_on = threading.Event()
    path = tmp_path / "live.h5"
    thread = threading.Thread(target=lambda: m.run(path, progress=lambda what, done: not go_on.is_set()))
    thread.start()
    try:
        rows = 0
        for _ in range(400):
            if path.exists():
                r = limber.open(path)
                if r.live and r["dynamics"].status == "running" and len(r.time) > 20:
                    rows = len(r.time)
                    assert len(r["tip.x"]) == rows
                    break
            threading.Event().wait(0.05)
        assert rows > 20
    finally:
        go_on.set()
        thread.join()
    assert len(r.refresh().time) >= rows and not r.live


def test_four_threads_find_what_one_finds(arm):
    system = arm.system()
    wanted = system.run()["tip"]
    found, sims = [], []

    def work(k):
        found.append(np.array_equal(system.run()["tip"], wanted))
        sim = system.simulation()
        sim.run()
        sims.append(sim["tip.x"])
        found.append(limber.Model(ARM).run(L=0.3 + 0.1 * k).parameters["L"] == pytest.approx(0.3 + 0.1 * k))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == [True] * 8 and len(set(sims)) == 1 and len(sims) == 4


def test_the_lock_is_released(arm):
    """While one call of the library works, other threads of Python run."""
    sim = arm.system().simulation()
    sim.begin(until=2000)
    ended = []
    thread = threading.Thread(target=lambda: ended.append(sim.advance(2000)))  # one call, without callbacks
    thread.start()
    count = 0
    while thread.is_alive():
        count += 1
        thread.join(0.001)
    assert ended == [True] and count > 50


def test_drive_by_a_file(tmp_path, servo, cli):
    from conftest import SERVO

    (tmp_path / "servo.yaml").write_text(SERVO)
    (tmp_path / "torque.csv").write_text("time,torque\n0,9.81\n1,9.81\n2,12\n10,9\n")
    cli("run", "servo.yaml", "-q", "--input", "torque.csv", "-o", "theirs.h5")
    servo.drive(tmp_path / "torque.csv")
    same(servo.run(), limber.open(tmp_path / "theirs.h5"))


def test_paths_start_from_the_model(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "rod.yaml").write_text("limber: 1\npart: {type: beam, length: 0.3, section: {circle: 6 mm}, material: steel}\n")
    limber.reduce(tmp_path / "sub" / "rod.yaml", tmp_path / "sub" / "rod.h5")
    text = "limber: 1\nbodies: {rod: {type: reduced, file: rod.h5}}\nsensors: {rod: {type: position, of: rod}}\nanalyses: [{type: dynamics, until: 0.1}]\n"
    (tmp_path / "sub" / "use.yaml").write_text(text)
    m = limber.load(tmp_path / "sub" / "use.yaml")
    m.gravity = [0, 0, -1]
    assert m.run()["rod.z"][-1] == pytest.approx(-0.005, rel=1e-6)
    assert Path(m._name).name == "use.yaml"
