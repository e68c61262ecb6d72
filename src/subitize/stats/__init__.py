"""Numbers in, numbers out; each is tested against an independent implementation."""

from subitize.stats.intervals import mean_interval, wilson_interval
from subitize.stats.number_laws import human_law, uniform_law

__all__ = ["human_law", "mean_interval", "uniform_law", "wilson_interval"]
