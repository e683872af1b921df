"""Bodies, parts, exports, pages, FMUs: against the program."""

import shutil
import zipfile

import numpy as np
import pytest
from conftest import ROD, ROOT

import limber

EXAMPLES = ROOT / "examples"


@pytest.fixture
def bending():
    """A beam that swings: it has stresses."""
    return limber.Model(
        {
            "gravity": [0, -9.81, 0],
            "bodies": {"rod": {"type": "beam", "length": 1, "section": {"circle": "8 mm"}, "material": "steel", "elements": 4}},
            "joints": {"pin": {"type": "revolute", "between": ["ground", "rod.start"], "axis": [0, 0, 1]}},
            "sensors": {"tip": {"type": "position", "of": "rod.end"}},
            "analyses": [{"type": "dynamics", "until": 0.2, "every": 0.01}],
        }
    )


def test_bodies_are_those_of_the_program(cli, tmp_path):
    (tmp_path / "rod.yaml").write_text(ROD)
    cli("reduce", "rod.yaml", "-q", "--no-cache", "-o", "theirs.h5")
    mine = limber.reduce(tmp_path / "rod.yaml", cache=False)
    theirs = limber.Body(tmp_path / "theirs.h5")
    assert list(mine) == list(theirs) and mine.markers == theirs.markers
    for name in mine:
        assert np.array_equal(mine[name], theirs[name], equal_nan=True), name
    assert theirs.describe() == cli("info", tmp_path / "theirs.h5")


def test_arrays_of_a_body():
    b = limber.reduce(limber.Model(ROD), cache=False)
    assert b.mass == pytest.approx(7850 * np.pi * 0.003**2 * 0.3, rel=1e-2)
    assert np.allclose(b.mass_matrix, b.mass_matrix.T) and b.mass_matrix is b.I6
    omega2 = np.linalg.eigvals(np.linalg.solve(b.I6, b.K)).real
    assert np.allclose(np.sort(np.sqrt(omega2) / (2 * np.pi)), np.sort(b.frequencies), rtol=1e-6)
    assert b.marker_S.shape == (2, 3, b.coordinates) and b.node_S.shape[1:] == (3, b.coordinates)
    assert b.stress_kind == "beam" and b.stress.shape[1] == 6 and b.doc("K") == "stiffness"
    assert "K" in b and "k" not in b and b.lines.dtype == np.intc
    with pytest.raises(KeyError, match="it has I1"):
        b["k"]
    with pytest.raises(ValueError, match="read-only"):
        b.K[0, 0] = 1


def test_arrays_outlive_their_body():
    K = limber.reduce(limber.Model(ROD)).K
    copy = K.copy()
    junk = [limber.reduce(limber.Model(ROD)) for _ in range(5)]
    assert np.array_equal(K, copy) and len(junk) == 5


def test_keys_of_parts(tmp_path):
    m = limber.Model(ROD)
    few, more = (limber.reduce(m, shapes=[{"eigen": k}], cache=False) for k in (3, 5))
    assert more.coordinates == few.coordinates + 2
    with pytest.raises(limber.InvalidInput, match="did you mean"):
        limber.reduce(m, materiel="steel")
    assert list(tmp_path.iterdir()) == []


def test_modes_are_those_of_the_program(cli, tmp_path):
    (tmp_path / "rod.yaml").write_text(ROD)
    cli("modes", "rod.yaml", "-n", "5", "-q", "-o", "theirs.csv", "--clamp", "start")
    mine = limber.modes(tmp_path / "rod.yaml", 5, clamp=["start"])
    mine.save(tmp_path / "mine.csv")
    assert (tmp_path / "mine.csv").read_text() == (tmp_path / "theirs.csv").read_text()
    assert mine.effective.shape == (5, 6) and limber.modes(limber.Model(ROD), 2).effective is None


def test_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LIMBER_CACHE", str(tmp_path / "cache"))
    limber.reduce(limber.Model(ROD))
    assert limber.clear_cache() >= 1 and limber.clear_cache() == 0


def test_exports_are_those_of_the_program(arm, cli, tmp_path):
    r = arm.run(tmp_path / "arm.h5")
    for ending, options in ((".csv", ()), (".glb", ("--frames", "5"))):
        cli("export", "arm.h5", "-o", f"theirs{ending}", *options)
        r.export(tmp_path / f"mine{ending}", **({"frames": 5} if options else {}))
        assert (tmp_path / f"mine{ending}").read_bytes() == (tmp_path / f"theirs{ending}").read_bytes()
    r.export(tmp_path / "tip.csv", "tip.y")
    assert (tmp_path / "tip.csv").read_text().splitlines()[0] == "t [s],tip.y [m]"
    with pytest.raises(limber.InvalidInput, match="ParaView"):
        r.export(tmp_path / "arm.xyz")
    assert ".glb" in limber.tools.formats() and ".inp" in limber.tools.formats("parts")


def test_stresses_are_those_of_the_program(bending, cli, tmp_path):
    r = bending.run(tmp_path / "rod.h5")
    places = r.stress(count=3)
    assert str(places).strip() in cli("stress", "rod.h5", "--count", "3")
    assert len(places) <= 3 and places[0]["body"] == "rod"
    life = r.life(strength=180e6)
    assert str(life).strip() in cli("life", "rod.h5", "--strength", "180")
    with pytest.raises(ValueError, match="tensile strength"):
        r.life(strength=180e6, mean="goodman")


def test_loads_need_a_mesh(bending, tmp_path):
    r = bending.run()
    with pytest.raises(limber.InvalidInput):
        r.loads(tmp_path / "rod.inp", bending, times=[0.1])


BAR = (
    "*NODE\n1,0,-5,-5\n2,0,5,-5\n3,0,5,5\n4,0,-5,5\n5,50,-5,-5\n6,50,5,-5\n7,50,5,5\n8,50,-5,5\n"
    "*ELEMENT, TYPE=C3D8, ELSET=ALL\n1,1,5,6,2,4,8,7,3\n*NSET, NSET=LEFT\n1,2,3,4\n*NSET, NSET=RIGHT\n5,6,7,8\n"
)


def test_sets_of_nodes(tmp_path):
    longer = "9,100,-5,-5\n10,100,5,-5\n11,100,5,5\n12,100,-5,5\n*ELEMENT"
    text = BAR.replace("*ELEMENT", longer, 1).replace("7,3\n", "7,3\n2,5,9,10,6,8,12,11,7\n").replace("5,6,7,8\n", "9,10,11,12\n")
    (tmp_path / "bar.inp").write_text(text)
    ends = {"start": {"set": "LEFT", "tie": "average"}, "end": {"set": "RIGHT", "tie": "average"}}
    b = limber.reduce(tmp_path / "bar.inp", unit="mm", material="steel", interfaces=ends, cache=False)
    assert b.markers == ["start", "end"] and b.stress_kind == "solid"
    labels = {name: sorted(b.node_label[nodes]) for name, nodes in b.sets.items()}
    assert labels["LEFT"] == [1, 2, 3, 4] and labels["RIGHT"] == [9, 10, 11, 12]
    assert np.allclose(b.node_x[b.sets["RIGHT"]][:, 0], 0.1)


def test_loads(cli, tmp_path):
    (tmp_path / "bar.inp").write_text(BAR)
    m = limber.Model(
        {
            "gravity": [0, -9.81, 0],
            "bodies": {"bar": {"type": "mesh", "file": "bar.inp", "unit": "mm", "material": "steel", "interfaces": {"start": {"set": "LEFT", "tie": "average"}}}},
            "joints": {"pin": {"type": "revolute", "between": ["ground", "bar.start"], "axis": [0, 0, 1]}},
            "analyses": [{"type": "dynamics", "until": 0.02, "every": 0.01}],
        },
        name=str(tmp_path / "bar.yaml"),
    )
    m.save(tmp_path / "bar.yaml")
    r = m.run(tmp_path / "bar.h5")
    text = r.loads(tmp_path / "mine.inp", m, times=[0.01], body="bar")
    assert "0.01" in text
    cli("loads", "bar.yaml", "bar.h5", "--body", "bar", "--time", "0.01", "-o", "theirs.inp")
    mine, theirs = ((tmp_path / f).read_text().splitlines() for f in ("mine.inp", "theirs.inp"))
    assert [l for l in mine if not l.startswith("**")] == [l for l in theirs if not l.startswith("**")]


def test_plots_by_gnuplot(arm, bending, cli, tmp_path):
    if shutil.which("gnuplot") is None:
        pytest.skip("gnuplot is not installed")
    r = arm.run(tmp_path / "arm.h5")
    cli("plot", "arm.h5", "tip", "-o", "theirs.svg")
    r.plot_file(tmp_path / "mine.svg", "tip")
    assert (tmp_path / "mine.svg").read_text().count("<path") == (tmp_path / "theirs.svg").read_text().count("<path") > 3
    limber.plot.plot_file(tmp_path / "two.svg", [r, arm.run(L=0.5)], ["tip.x"], title="two", against="tip.y")
    limber.plot.plot_file(tmp_path / "along.svg", [bending.run()], along=["rod"])
    limber.plot.plot_file(tmp_path / "shapes.svg", [bending.run()], shapes=["rod"], frames=3, plane="xy")
    assert all((tmp_path / f).stat().st_size > 1000 for f in ("two.svg", "along.svg", "shapes.svg"))


def test_the_page_is_that_of_the_program(arm, cli, tmp_path):
    try:
        limber.view.template()
    except FileNotFoundError:
        pytest.skip("limber was built without the viewer")
    r = arm.run(tmp_path / "arm.h5")
    page = r.view(tmp_path / "mine.html")
    cli("view", "arm.h5", "--no-open", "-o", "theirs.html")
    assert (tmp_path / "mine.html").read_bytes() == (tmp_path / "theirs.html").read_bytes()
    shown = page._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "&quot;" in shown and shown.count('"') == 8
    both = limber.view.view([r, arm.run(tmp_path / "other.h5", L=0.5)], tmp_path / "both.html")
    cli("view", "arm.h5", "other.h5", "--no-open", "-o", "theirs.html")
    assert both.html == (tmp_path / "theirs.html").read_text()
    temporary = r.view(show=False)
    assert temporary.html == page.html


def test_fmus_are_those_of_the_program(servo, cli, tmp_path):
    from conftest import SERVO

    try:
        limber.tools._module()
    except FileNotFoundError:
        pytest.skip("limber was built without the module of FMUs")
    (tmp_path / "servo.yaml").write_text(SERVO)
    cli("fmu", "servo.yaml", "-q", "-o", "theirs.fmu", "--fmi", "2", "--kind", "cs")
    limber.load(tmp_path / "servo.yaml").fmu(tmp_path / "mine.fmu", version=2, kind="cs")
    with zipfile.ZipFile(tmp_path / "mine.fmu") as mine, zipfile.ZipFile(tmp_path / "theirs.fmu") as theirs:
        assert mine.namelist() == theirs.namelist()
        assert all(mine.getinfo(n).CRC == theirs.getinfo(n).CRC for n in mine.namelist() if n.endswith(".so"))
    with pytest.raises(ValueError, match="co-simulation"):
        servo.fmu(tmp_path / "x.fmu", kind="both of them")
    servo.function("law", lambda t: t)
    with pytest.raises(ValueError, match="needs no Python"):
        servo.fmu(tmp_path / "x.fmu")


def test_validation():
    cases = sorted((ROOT / "validation").glob("*.yaml"))
    if not cases:
        pytest.skip("no validation cases")
    found = limber.validate(ROOT / "validation" / "n_four_bar.yaml")
    assert found and all(c.passed or c.skipped for c in found) and found[0].source


def test_schema_and_reference(cli):
    assert limber.schema() == cli("schema") and limber.reference() == cli("reference")


def test_versions(cli):
    assert limber.__version__ in cli("--version") and "HDF5" in limber.libraries()


ROBOT = """<robot name="two"><link name="base"/><link name="arm">
<inertial><origin xyz="0.2 0 0"/><mass value="1.5"/><inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""


def test_robots_are_models(cli, tmp_path):
    (tmp_path / "two.urdf").write_text(ROBOT)
    m = limber.load(tmp_path / "two.urdf")
    assert m.bodies.arm.mass == 1.5 and "1 degree" in m.check()
    m.analyses = [{"type": "dynamics", "until": 0.1}]
    assert m.run(progress=False).time[-1] == 0.1 and m.run(progress=False).time[-1] == 0.1  # again
    limber.import_robot(tmp_path / "two.urdf", tmp_path / "mine.yaml")
    cli("import", "two.urdf", "-o", "theirs.yaml")
    mine, theirs = ((tmp_path / f).read_text().split("\n", 1)[1] for f in ("mine.yaml", "theirs.yaml"))  # the first line is the path
    assert mine == theirs


def test_faces_of_a_mesh_and_a_script(tmp_path):
    (tmp_path / "brick.inp").write_text(
        "*NODE\n1,0,0,0\n2,2,0,0\n3,2,1,0\n4,0,1,0\n5,0,0,3\n6,2,0,3\n7,2,1,3\n8,0,1,3\n"
        "*ELEMENT,TYPE=C3D8,ELSET=a\n1,1,2,3,4,5,6,7,8\n"
    )
    found = limber.faces(tmp_path / "brick.inp", page=tmp_path / "brick.html", unit="cm")
    assert [f["face"] for f in found["faces"]] == [1, 2, 3, 4, 5, 6]
    assert {f["kind"] for f in found["faces"]} == {"plane"}
    assert sum(f["area"] for f in found["faces"]) == pytest.approx(22e-4)
    assert (tmp_path / "brick.html").stat().st_size > 100000
    with pytest.raises(limber.InvalidInput, match="has no solids"):
        limber.import_geometry(tmp_path / "a.yaml", tmp_path / "brick.inp", unit="cm")
    if shutil.which("gmsh"):
        (tmp_path / "two.geo").write_text(
            'SetFactory("OpenCASCADE");Box(1)={0,0,0,4,4,1};Cylinder(2)={2,2,0,0,0,3,1};'
            'BooleanDifference{Volume{1};Delete;}{Volume{2};}Physical Volume("plate")={1};Physical Volume("pin")={2};\n'
        )
        limber.import_geometry(tmp_path / "two.yaml", tmp_path / "two.geo", "2 mm", unit="mm")
        text = (tmp_path / "two.yaml").read_text()
        assert "between: [plate.pin, pin.plate], axis: [0, 0, 1]" in text
