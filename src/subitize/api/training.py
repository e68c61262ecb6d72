"""Verbs that finetune models on counting data."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from subitize.api.calls import AS_WARNINGS, as_path, verb
from subitize.api.options import AnyPath, Arg, Opt
from subitize.errors import BadValueError

if TYPE_CHECKING:
    from subitize.interfaces import Events
    from subitize.report.table import Result

Out = Annotated[AnyPath, Opt("The folder for models, curves and checkpoints; the same command goes on there.", "DIR")]
Epochs = Annotated[int | None, Opt("How many epochs, in place of the recipe's.", "N")]
BatchSize = Annotated[int | None, Opt("How many examples per step, in place of the recipe's.", "N")]
Rate = Annotated[float | None, Opt("The highest learning rate, in place of the recipe's.", "X")]
Precision = Annotated[str, Opt("Floating-point type of what is computed; the weights are float32.", "no|bf16|fp16")]
Device = Annotated[str, Opt("auto: the one that accelerate finds or was launched with.", "auto|cpu")]
Patience = Annotated[int, Opt("Stop after so many evaluations without a better one; 0: never.", "N")]


@verb
def train_probe(
    model: Annotated[str, Arg("transformers:FOLDER or vilbert:FOLDER, with regions=FILE if it sees regions.", "MODEL")],
    probes: Annotated[AnyPath, Arg("A file that make probes wrote, of training and test data.", "FILE")],
    *,
    out: Out,
    split: Annotated[str, Opt("The split to train and test on.", "standard|hard|interpolated")] = "standard",
    format: Annotated[str, Opt("Statements, or questions with their answers.", "declarative|qa")] = "declarative",
    numbers: Annotated[str, Opt("Train on these answers only; all are tested.", "all|even|odd")] = "all",
    images: Annotated[AnyPath | None, Opt("The folder of the pictures, for models that look at pixels.", "DIR")] = None,
    alignment: Annotated[
        AnyPath | None, Opt("Caption probes, tested before and after: what is forgotten.", "FILE")
    ] = None,
    recipe: Annotated[str | None, Opt("How weights are trained [as by the probes' authors].", "RECIPE")] = None,
    epochs: Epochs = None,
    batch_size: BatchSize = None,
    rate: Rate = None,
    seeds: Annotated[str, Opt("Seeds, each trained by itself.", "N,N…")] = "0,1,2",
    patience: Patience = 0,
    precision: Precision = "no",
    device: Device = "auto",
    events: "Events" = AS_WARNINGS,
) -> "Result":
    """Finetune a model that matches texts to pictures on the counting probe.

    It is evaluated before and after each epoch. Each seed leaves two models, best and last.
    """
    from subitize.networks.weights import require
    from subitize.papers import find, load

    require("training", "torch", "transformers", "accelerate")
    from pathlib import Path

    from subitize.training.recipes import find_recipe

    if not all(one.strip().isdecimal() for one in seeds.split(",")):
        raise BadValueError(f"`seeds` {seeds}: should be whole numbers, with commas between them")
    _check_place(precision, device)
    training = load(str(find("probes", "training")))(
        split=split,
        form=format,
        numbers=numbers,
        seeds=tuple(int(one) for one in seeds.split(",")),
        images=as_path(images),
        alignment=as_path(alignment),
        patience=patience,
        precision=precision,
        is_on_cpu=device == "cpu",
    )
    chosen = find_recipe(recipe) if recipe else training.recipe
    training = replace(training, recipe=chosen.changed(epochs=epochs, batch_size=batch_size, rate=rate))
    found: Result = load(str(find("probes", "train")))(model, Path(probes), Path(out), training, events)
    return found


def _check_place(precision: str, device: str) -> None:
    for option, value, known in (("precision", precision, ("no", "bf16", "fp16")), ("device", device, ("auto", "cpu"))):
        if value not in known:
            raise BadValueError(f"`{option}` {value}: should be {', '.join(known)}")
