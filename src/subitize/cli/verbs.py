"""Which verb is which command."""

from subitize.api import corpus, data, figures, imports, listing, making, papers, people, planning, runs, serving
from subitize.cli.expose import expose
from subitize.cli.groups import add_group, app

expose(app, "run", runs.run, has_json="dry_run", resumes=True)
expose(app, "judge", runs.judge, resumes=True)
expose(app, "score", figures.score, has_json=True)
expose(app, "measure", figures.measure, has_json=True)
expose(app, "compare", figures.compare, has_json=True)

report = add_group("report", "Write a report of runs, one HTML page that works offline; a plate; a paper's tables.")
expose(report, "report", figures.write_report)
expose(report, "plate", figures.plate)
expose(report, "tables", papers.tables, has_json=True)
expose(report, "reproduce", papers.reproduce, has_json=True)

annotate = add_group("annotate", "Open a page where people answer questions about a run's images; choose these images.")
expose(annotate, "annotate", people.annotate)
expose(annotate, "sample", people.draw_sample, has_json=True)
expose(annotate, "screen", people.screen, has_json=True)

agree = add_group("agree", "Compute how far people agree with one another, or a judge with people.")
expose(agree, "agree", figures.agree, has_json=True)
expose(agree, "calibrate", figures.calibrate, has_json=True)

expose(app, "show", data.show, has_json=True)
export = add_group("export", "Export a run's tables and its frame as files, or people's answers.")
expose(export, "export", data.export)
expose(export, "ratings", data.export_ratings)
bring = add_group("import", "Bring data made elsewhere into a run.")
for kind, verb in imports.KINDS.items():
    expose(bring, kind, verb, has_json=kind in ("outputs", "attachments"))

expose(app, "list", listing.list_, has_json=True)
make = add_group("make", "Write prompts, pictures, rewritten prompts or probes; plan how large a study must be.")
expose(make, "prompts", making.make_prompts)
expose(make, "stimuli", making.make_stimuli)
expose(make, "rewrites", making.make_rewrites, resumes=True)
expose(make, "probes", making.make_probes)
expose(make, "caption-probes", making.make_caption_probes)
plan = add_group("plan", "Plan a study: how many prompts and images it needs, and what it can show.", make)
for kind in planning.STUDIES:
    expose(plan, kind, planning.verb_of(kind), has_json=True)

count = add_group("corpus", "Count the numbers of things in caption corpora, and compare them with a run.")
expose(count, "corpus", corpus.count_captions, has_json=True)
expose(count, "check", corpus.check_counting, has_json=True)
expose(count, "report", corpus.report_corpora, has_json=True)
expose(count, "link", corpus.link_corpus, has_json=True)
expose(count, "pairs", corpus.find_pairs, has_json=True)

expose(app, "serve", serving.serve)
