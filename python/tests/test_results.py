"""Results files against what the program exports from them, and against h5py's view of them where it is there."""

import csv

import numpy as np
import pytest
from conftest import RAIL, ROOT

import limber

EXAMPLES = ROOT / "examples"


def test_columns_are_those_of_the_program(arm, cli, tmp_path):
    r = arm.run(tmp_path / "arm.h5")
    cli("export", "arm.h5", "-o", "arm.csv")
    with open(tmp_path / "arm.csv", newline="") as file:
        rows = list(csv.reader(file))
    names = ["t [s]"] + [f"{c} [{r.unit(c)}]" if r.unit(c) else c for c in r.columns() if c in r.units]
    values = np.array([[float(v) for v in row] for row in rows[1:]])
    assert np.array_equal(values[:, 0], r.time)
    for k, name in enumerate(rows[0][1:], start=1):
        assert name in names
        assert np.array_equal(values[:, k], r[name.split(" [")[0]]), name


def test_patterns(arm):
    r = arm.run()
    assert r.columns("tip") == ["tip.x", "tip.y", "tip.z"]
    assert r.columns("tip.[xy]", "tip.x", "*.z") != [] and r.columns("*.z")[0] == "tip.z"
    assert np.array_equal(r["tip"], np.stack([r["tip.x"], r["tip.y"], r["tip.z"]], axis=1))
    assert "tip.x" in r and "tip" in r and "nothing" not in r and "dynamics" in r
    with pytest.raises(KeyError, match="did you mean 'tip.x'"):
        r["tipp.x"]


def test_tables(arm):
    a = arm.run()["dynamics"]
    t = a.table("energies")
    assert t.values.shape == (101, len(t.columns)) and t.units["kinetic"] == "J"
    for k, c in enumerate(t.columns):
        assert np.array_equal(t[c], t.values[:, k]) and np.array_equal(a[c], t[c])
    with pytest.raises(KeyError, match="did you mean 'energies'"):
        a.table("energy")


def test_wide_tables_column_by_column(tmp_path):
    """More numbers in a row than are read at a time (65536), and blocks that do not divide the rows."""
    m = limber.Model({"bodies": {}, "sensors": {}, "analyses": [{"type": "dynamics", "until": 1, "every": 0.0005}]})
    m["bodies"] = {f"b{i}": {"mass": 1, "inertia": 1, "at": [0, 0, i]} for i in range(30)}
    m["sensors"] = {f"b{i}": {"type": "position", "of": f"b{i}"} for i in range(30)}
    m.gravity = [0, 0, -1]
    r = m.run()
    t = r["dynamics"].table("sensors")
    assert t.values.size > 65536
    for c in ("b0.x", "b13.z", "b29.z"):
        assert np.array_equal(t[c], t.values[:, t.columns.index(c)])
    assert t["b7.z"][-1] == pytest.approx(7 - 0.5)


def test_several_analyses():
    m = limber.load(EXAMPLES / "blade.yaml")
    m.analyses = [*m.analyses.to_python(), {"type": "modes", "count": 6}]
    r = m.run()
    names = [a.name for a in r]
    assert r.analysis(1).name == names[0] == r[names[0]].name
    assert r.main.type != "modes"
    with pytest.raises(limber.InvalidInput, match="available"):
        r.analysis("nothing")
    modes = r.modes
    assert len(modes) == len(modes.frequency) > 2 and modes.shapes.shape == (len(modes), len(modes.coordinates))
    assert np.allclose(np.abs(modes.shapes).max(axis=1), 1)
    ringing = modes.frequency > 0
    assert np.allclose(np.abs(modes.eigenvalues.imag)[ringing], 2 * np.pi * modes.frequency[ringing], rtol=1e-9)
    text = r.describe()
    for f in modes.frequency[:3]:
        assert f"{f:.5g}"[:4] in text


def test_columns_elsewhere_are_named():
    m = limber.Model(RAIL)
    m.analyses = [{"type": "dynamics", "until": 0.1}, {"type": "response", "from": 1, "to": 3, "points": 3}]
    r = m.run()
    assert r.main.type == "dynamics"
    with pytest.raises(KeyError, match=r"but in 02_response: r\['02_response'\]"):
        r["rail.position/push"]
    assert r["response"]["rail.position/push"].shape == r["response"].frequency.shape


def test_events_stats_and_texts(servo, tmp_path):
    r = servo.run(tmp_path / "servo.h5")
    assert [e.text for e in r.events][0].startswith("quarter") or "quarter" in r.events[0].text
    assert 0 < r.events[0].time <= r.time[-1]
    assert r.stats["steps"] > 10 and r.stats["events"] == 1
    assert r.version == limber.__version__ and "limber" in r.command
    assert limber.Model(r.model_text).to_dict()["joints"] == servo.to_dict()["joints"]
    assert r.describe().startswith(f"{tmp_path}/servo.h5: results file")
    assert "dynamics" in repr(r) and "101" not in repr(r.main)


def test_closed_files(arm, tmp_path):
    with arm.run(tmp_path / "a.h5") as r:
        y = r["tip.y"]
    for use in (lambda: r["tip.y"], lambda: r.time, lambda: r.analyses, lambda: r.live, lambda: r.parameters):
        with pytest.raises(ValueError, match="closed"):
            use()
    assert len(y) == 101 and "closed" in repr(r)
    assert len(r.refresh()["tip.y"]) == 101


def test_a_file_that_becomes_another_one(arm, tmp_path):
    """An analysis of a file that was opened again must not read rows that are not there any more."""
    r = arm.run(tmp_path / "a.h5")
    old, table = r["dynamics"], r["dynamics"].table("sensors")
    arm.analyses[0].until = 0.1
    arm.run(tmp_path / "a.h5")
    r.refresh()
    for use in (lambda: old.time, lambda: old["tip.x"], lambda: table["tip.x"], lambda: old.events, lambda: old.stats):
        with pytest.raises(ValueError, match="opened again"):
            use()
    assert len(r.time) == 11


@pytest.mark.parametrize("content", [b"", b"text", b"\x89HDF\r\n\x1a\n" + bytes(600)])
def test_hostile_files_are_refused(content, tmp_path):
    (tmp_path / "bad.h5").write_bytes(content)
    for use in (limber.open, limber.Body):
        with pytest.raises(limber.LimberError, match="bad.h5"):
            use(tmp_path / "bad.h5")


def test_damaged_files_are_refused_or_read(arm, tmp_path):
    arm.run(tmp_path / "a.h5").close()
    good = (tmp_path / "a.h5").read_bytes()
    random = np.random.default_rng(1)
    refused = 0
    for k in range(60):
        bad = bytearray(good)
        for at in random.integers(0, len(bad) if k % 2 else 4096, 20):
            bad[at] ^= 1 << int(random.integers(0, 8))
        (tmp_path / "bad.h5").write_bytes(bad[: len(bad) if k % 3 else int(random.integers(1, len(bad)))])
        try:
            with limber.open(tmp_path / "bad.h5") as r:
                for a in r:
                    _ = a.time, a.events, a.stats, [a.table(t).values for t in a.tables]
        except (limber.LimberError, KeyError):
            refused += 1
    assert refused > 10


def test_with_h5py(arm, tmp_path):
    h5py = pytest.importorskip("h5py")
    r = arm.run(tmp_path / "a.h5")
    table = r["dynamics"].table("sensors")
    ours, names = table.values, table.columns
    r.close()  # where both share one HDF5, it does not open a file in two ways
    with h5py.File(tmp_path / "a.h5") as f:
        columns = [c.decode() for c in f["01_dynamics/columns/sensors"]]
        assert np.array_equal(f["01_dynamics/sensors"][:], ours) and columns == names


def test_pandas(arm):
    pandas = pytest.importorskip("pandas")
    r = arm.run()
    frame = r.frame("tip", "kinetic")
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == ["tip.x", "tip.y", "tip.z", "kinetic"]
    assert np.array_equal(frame["tip.y"], r["tip.y"]) and np.array_equal(frame.index, r.time)
    assert frame.attrs["units"]["kinetic"] == "J" and len(r.frame().columns) == len(r.columns())


def test_xarray(arm):
    pytest.importorskip("xarray")
    r = arm.run()
    data = r.dataset("tip")
    assert np.array_equal(data["tip.x"], r["tip.x"]) and data["tip.x"].attrs["units"] == "m"


def test_matplotlib(arm):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    r = arm.run()
    axes = r.plot("tip", "kinetic")
    assert len(axes) == 2 and axes[1].get_xlabel() == "t [s]" and "[m]" in axes[0].get_ylabel()
    assert np.array_equal(axes[0].lines[1].get_ydata(), r["tip.y"])
    axes = limber.plot.plot([r.main, arm.run(L=0.5).main], ["tip.y"], against="tip.x", labels=["L = 0.4", "L = 0.5"])
    assert [l.get_label() for l in axes[0].lines] == ["tip.y L = 0.4", "tip.y L = 0.5"]


def test_what_is_not_installed_is_named(arm, monkeypatch):
    import sys

    r = arm.run()
    for module in ("pandas", "xarray", "matplotlib", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, module, None)
    for use, name in ((r.frame, "pandas"), (r.dataset, "xarray"), (r.plot, "matplotlib")):
        with pytest.raises(ImportError, match=f"{name}, which is not installed"):
            use()
