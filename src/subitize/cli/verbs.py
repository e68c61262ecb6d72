"""Which verb is which command. A group gets its commands when it is called, so that help needs few modules."""

from collections.abc import Collection

import typer

from subitize.api import data, figures, listing, runs
from subitize.cli.expose import expose
from subitize.cli.groups import add_group, app

expose(app, "run", runs.run, has_json="dry_run", resumes=True)
expose(app, "judge", runs.judge, resumes=True)
expose(app, "score", figures.score, has_json=True)
expose(app, "measure", figures.measure, has_json=True)
expose(app, "compare", figures.compare, has_json=True)
expose(app, "show", data.show, has_json=True)
expose(app, "list", listing.list_, has_json=True)


def _report(group: typer.Typer) -> None:
    from subitize.api import papers

    expose(group, "report", figures.write_report)
    expose(group, "plate", figures.plate)
    expose(group, "tables", papers.tables, has_json=True)
    expose(group, "reproduce", papers.reproduce, has_json=True)


def _annotate(group: typer.Typer) -> None:
    from subitize.api import people

    expose(group, "annotate", people.annotate)
    expose(group, "sample", people.draw_sample, has_json=True)
    expose(group, "screen", people.screen, has_json=True)


def _agree(group: typer.Typer) -> None:
    expose(group, "agree", figures.agree, has_json=True)
    expose(group, "calibrate", figures.calibrate, has_json=True)


def _export(group: typer.Typer) -> None:
    expose(group, "export", data.export)
    expose(group, "ratings", data.export_ratings)


def _import(group: typer.Typer) -> None:
    from subitize.api import imports

    for kind, verb in imports.KINDS.items():
        expose(group, kind, verb, has_json=kind in ("outputs", "attachments"))


def _make(group: typer.Typer) -> None:
    from subitize.api import making, planning

    expose(group, "prompts", making.make_prompts)
    expose(group, "stimuli", making.make_stimuli)
    expose(group, "rewrites", making.make_rewrites, resumes=True)
    expose(group, "probes", making.make_probes)
    expose(group, "caption-probes", making.make_caption_probes)
    plan = add_group("plan", "Plan a study: how many prompts and images it needs, and what it can show.", group)
    for kind in planning.STUDIES:
        expose(plan, kind, planning.verb_of(kind), has_json=True)


def _corpus(group: typer.Typer) -> None:
    from subitize.api import corpus

    expose(group, "corpus", corpus.count_captions, has_json=True)
    expose(group, "check", corpus.check_counting, has_json=True)
    expose(group, "report", corpus.report_corpora, has_json=True)
    expose(group, "link", corpus.link_corpus, has_json=True)
    expose(group, "pairs", corpus.find_pairs, has_json=True)


def _train(group: typer.Typer) -> None:
    from subitize.api import serving, training

    expose(group, "probe", training.train_probe, resumes=True)
    expose(group, "serve", serving.serve)


_GROUPS = {
    "report": (_report, "Write a report of runs, one HTML page that works offline; a plate; a paper's tables."),
    "annotate": (_annotate, "Open a page where people answer questions about a run's images; choose these images."),
    "agree": (_agree, "Compute how far people agree with one another, or a judge with people."),
    "export": (_export, "Export a run's tables and its frame as files, or people's answers."),
    "import": (_import, "Bring data made elsewhere into a run."),
    "make": (_make, "Write prompts, pictures, rewritten prompts or probes; plan how large a study must be."),
    "train": (_train, "Finetune models on counting data; serve counts as rewards."),
    "corpus": (_corpus, "Count the numbers of things in caption corpora, and compare them with a run."),
}
_added = {name: add_group(name, help) for name, (_, help) in _GROUPS.items()}


def add_commands(words: Collection[str] = tuple(_GROUPS)) -> None:
    """Give the groups that are among the words their commands."""
    for name in _added.keys() & set(words):
        _GROUPS[name][0](_added.pop(name))
