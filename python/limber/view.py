"""The page of ``limber view``: in a browser, or in a notebook."""

from __future__ import annotations

import ctypes
import html
import os
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

from . import _c
from ._parts import tell
from .progress import Progress, Watch, _notebook

if TYPE_CHECKING:
    from .results import Results

__all__ = ["Page", "template", "view"]

PathLike = Union[str, "os.PathLike[str]"]


def template() -> bytes:
    """The page without data: page.html beside liblimber (a wheel), in viewer/ (a build), or $LIMBER_PAGE."""
    given = os.environ.get("LIMBER_PAGE")
    folder = Path(_c.library_path()).parent
    places = [Path(given)] if given else [folder / "page.html", folder / "viewer" / "page.html"]
    places.append(Path(__file__).resolve().parent / "lib" / "page.html")
    for place in places:
        if place.exists():
            return place.read_bytes()
    raise FileNotFoundError(
        f"the page of the viewer was not found ({', '.join(map(str, places))}): it is made by `make` where npm is installed"
    )


class Page:
    """A page: shown in a notebook when it is the last value of a cell."""

    def __init__(self, path: str, height: int) -> None:
        self.path, self.height = path, height
        self._folder: Any = None

    @property
    def html(self) -> str:
        """The page itself."""
        return Path(self.path).read_text(encoding="utf-8")

    def open(self) -> bool:
        """Opens it in the browser; False: there is none."""
        return webbrowser.open(Path(self.path).resolve().as_uri())

    def _repr_html_(self) -> str:
        source = html.escape(self.html, quote=True)
        return (
            f'<iframe srcdoc="{source}" style="width: 100%; height: {self.height}px; border: 0" '
            'allow="fullscreen" sandbox="allow-scripts allow-downloads"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<limber page {self.path}>"


def view(
    results: Union[PathLike, "Results", Sequence[Union[PathLike, "Results"]]],
    path: Optional[PathLike] = None,
    *,
    frames: int = 0,
    height: int = 640,
    show: Optional[bool] = None,
    progress: Progress = None,
) -> Page:
    """Writes the page with animation, curves and data of a results file, or of several to compare: one file, which needs no network.

    In a notebook it is shown below the cell; elsewhere in the browser, unless ``show`` is False or a ``path`` is given.
    """
    opened = show or (show is None and path is None and _notebook() is None)
    folder: Any = None
    if path is None:  # the page that a browser shows stays in its temporary folder
        folder = None if opened else tempfile.TemporaryDirectory(prefix="limber-")
        path = os.path.join(folder.name if folder else tempfile.mkdtemp(prefix="limber-"), "page.html")
    target = os.fspath(path)
    with Watch(progress) as watch:
        told = tell(watch)
        several: Sequence[Any] = results if isinstance(results, (list, tuple)) else [results]
        files = (ctypes.c_char_p * len(several))(*(_c.path(getattr(r, "path", r)) for r in several))
        options = _c.struct("lmb_view_options", result_count=len(files), page=template(), frames=frames, progress=told)
        options.results = ctypes.cast(files, ctypes.POINTER(ctypes.c_char_p))
        _c.call(_c.lib.lmb_view_file, os.fsencode(target), ctypes.byref(options))
    watch.raise_errors()
    page = Page(target, height)
    page._folder = folder
    if opened:
        page.open()
    return page
