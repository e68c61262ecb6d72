"""Which verb is which command."""

from subitize.api import figures
from subitize.cli.expose import expose
from subitize.cli.options import app

expose(app, "score", figures.score, has_json=True)
expose(app, "measure", figures.measure, has_json=True)
expose(app, "compare", figures.compare, has_json=True)
expose(app, "report", figures.write_report)
expose(app, "plate", figures.plate)
expose(app, "agree", figures.agree, has_json=True)
expose(app, "calibrate", figures.calibrate, has_json=True)
