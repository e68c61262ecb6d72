"""An open run, as programs and notebooks hold it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from subitize.api import figures
from subitize.api.options import AnyPath
from subitize.store import Run

if TYPE_CHECKING:
    import polars as pl

    from subitize.report.table import Result


class OpenRun(Run):
    """A run that is open: its answers as frames, and the verbs that read it. Use it in a `with` block, or close it."""

    def frame(self) -> "pl.DataFrame":
        """Return the frame that all figures are computed from (docs/frame.md)."""
        return self._table("observations")

    def images(self) -> "pl.DataFrame":
        """Return the images that models drew, a row each: model, item, repeat, prompt, and the path in `image`."""
        return self._table("responses").drop_nulls("image")

    def score(self, **options: Any) -> "Result":  # noqa: ANN401
        """Call `subitize.score` with this run."""
        return figures.score(self, **options)

    def measure(self, **options: Any) -> "Result":  # noqa: ANN401
        """Call `subitize.measure` with this run."""
        return figures.measure(self, **options)

    def compare(self, **options: Any) -> "Result":  # noqa: ANN401
        """Call `subitize.compare` with this run."""
        return figures.compare(self, **options)

    def report(self, out: AnyPath | None = None, **options: Any) -> list[Path]:  # noqa: ANN401
        """Call `subitize.write_report` with this run; return the paths of the files."""
        return figures.write_report(self, **options if out is None else {"out": out, **options})

    def _table(self, name: str) -> "pl.DataFrame":
        import polars as pl

        from subitize.analysis.export import read_tables

        return pl.concat(next(parts for table, parts in read_tables(self) if table == name))
