"""Flags models judged by the judge that rewarded their training: they have learnt what it sees."""

from collections.abc import Mapping

from subitize.registry import TRAINED_WITH, is_alike
from subitize.store import Run


def is_reward_judge(judge: str, model_options: Mapping[str, str]) -> bool:
    """Tell whether a judge, with whatever options, is the one that a model was trained with."""
    trained_with = model_options.get(TRAINED_WITH)
    return trained_with is not None and is_alike(trained_with, judge)


def warn_of_reward_judges(run: Run, judge: str | None = None) -> list[str]:
    """Name the models of a run that such a judge judged; of one judge, if it is named."""
    models, judges = run.model_names(), run.judge_names()
    return [
        describe_reward_judge(models[model.spec], name)
        for model in run.models()
        for spec, name in judges.items()
        if judge in (None, spec) and is_reward_judge(spec, model.options)
    ]


def describe_reward_judge(model: str, judge: str) -> str:
    """Say what is wrong with such figures."""
    return f"{model} was trained with {judge}, which judges it here: the figures may flatter it; take another judge"
