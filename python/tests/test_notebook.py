"""The cells of examples/notebook.ipynb, one after the other, in plain Python."""

import json

import pytest
from conftest import ROOT


def test_cells_of_the_notebook(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    path = ROOT / "examples" / "notebook.ipynb"
    if not path.exists():
        pytest.skip("no examples")
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None  # outputs are not stored
            exec(compile("".join(cell["source"]), str(path), "exec"), names)
    assert abs(names["angle"] - 0.5) < 0.01 and names["modes"].frequency[0] > 0
