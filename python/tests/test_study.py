"""Studies against those of the program."""

import numpy as np
import pytest
from conftest import ARM

import limber


@pytest.fixture
def file(tmp_path):
    (tmp_path / "arm.yaml").write_text(ARM)
    return tmp_path / "arm.yaml"


def test_studies_are_those_of_the_program(file, cli, tmp_path):
    options = ("--vary", "L=0.3:0.6:4", "--measure", "low=min(tip.y)", "--measure", "peak=max(pin.fy)", "--jobs", "2")
    cli("study", "arm.yaml", *options, "-o", "theirs.h5")
    seen = []
    mine = limber.study(
        file, tmp_path / "mine.h5", {"L": "0.3:0.6:4"}, {"low": "min(tip.y)", "peak": "max(pin.fy)"}, jobs=2,
        progress=lambda what, done: seen.append(done),
    )  # fmt: skip
    theirs = limber.Study(tmp_path / "theirs.h5")
    assert (tmp_path / "mine.csv").read_text() == (tmp_path / "theirs.csv").read_text()
    assert np.array_equal(mine.measure_values, theirs.measure_values) and len(mine) == 4
    assert np.allclose(mine["L"], [0.3, 0.4, 0.5, 0.6]) and mine.units["low"] == "m" and mine.scales == {"L": "linear"}
    assert mine["low"][1] == pytest.approx(limber.load(file).run()["tip.y"].min(), abs=1e-12)
    assert seen and (mine.status == 0).all() and (mine.seconds > 0).all()


def test_members_one_by_one(file, tmp_path):
    s = limber.study(limber.load(file), tmp_path / "s.h5", {"L": [0.3, 0.7]}, {"low": "min(tip.y)"}, run=False)
    assert list(s.status) == [-1, -1] and np.isnan(s["low"]).all()
    assert s.run_member(1) == 0
    assert list(s.refresh().status) == [0, -1]
    s.run(jobs=1)
    assert list(s.status) == [0, 0] and "2 done" in s.collect()
    assert s.frame().shape == (2, 3) if _pandas() else True
    assert "members done" in repr(s)


def _pandas():
    try:
        import pandas  # noqa: F401
    except ImportError:
        return False
    return True


def test_indices(file, tmp_path):
    m = limber.load(file)
    s = limber.study(m, tmp_path / "s.h5", {"L": "0.3:0.5"}, {"low": "min(tip.y)"}, sample="morris:2", jobs=2)
    assert s.method == "morris" and s.sensitivity("low")["L"]["mu_star"] > 0
    with pytest.raises(KeyError, match="no parameter or measure"):
        s["nothing"]


def test_what_cannot_be_studied(file, tmp_path, arm):
    with pytest.raises(ValueError, match="save"):
        limber.study(arm, tmp_path / "s.h5", {"L": [1]}, {"low": "min(tip.y)"})
    with pytest.raises(limber.InvalidInput, match="K"):
        limber.study(file, tmp_path / "s.h5", {"K": [1]}, {"low": "min(tip.y)"})
    assert not (tmp_path / "s.h5").exists()
    with pytest.raises(KeyError, match="indices"):
        limber.study(file, tmp_path / "s.h5", {"L": [0.3]}, {"low": "min(tip.y)"}, jobs=1).sensitivity("low")
