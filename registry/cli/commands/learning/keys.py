"""Commands for the registry's key-name model."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treaty.engine.cli.commands import WARNED, CliError
from treaty.engine.cli.options import Json
from treaty.registry.cli.commands import service

if TYPE_CHECKING:
    from treaty.registry.client import Client
    from treaty.registry.schemas.key_models import KeyModelsOut

SHIPPED, AUTO = "shipped", "auto"
app = typer.Typer(
    name="keys", no_args_is_help=True, help="Train and choose the model that predicts keys from column names."
)
Target = Annotated[
    Path | None, typer.Option("--out", help="Also write the model to this file, for `treaty draft --key-model`")
]
Chosen = Annotated[
    str,
    typer.Argument(
        metavar="VERSION",
        help=f"Version of the registry's model, `{SHIPPED}`, or `{AUTO}` to let trainings decide again",
        show_default=False,
    ),
]


@app.command()
def train(out: Target = None, as_json: Json = False) -> None:
    """Train a model on keys that owners approved, and compare it with the shipped one. Administrators only.

    It is used only if it is better by more than chance on unseen families of tables. Otherwise the output states what
    is needed; with --out the exit code is then 2, and no file is written."""
    from treaty.registry.cli.commands.tasks import finished

    with service.open_client() as registry:
        task = finished(registry, registry.train_key_model())
        if task.error or task.result is None:
            raise CliError(f"The training failed: {task.error or 'it has no result'}")
        models = registry.key_models()
        written = out is not None and _download(registry, models, out)
    if as_json:
        print(json.dumps(task.result, indent=2))
    else:
        print("\n".join(filter(None, (str(task.result.get("note", "")), *_lines(models)))))
    if out is not None and not written:
        print(f"{out} was not written: the shipped model is in use.", file=sys.stderr)
        raise typer.Exit(WARNED)


@app.command()
def show(as_json: Json = False) -> None:
    """Show which model is in use and why, and all stored versions."""
    with service.open_client() as registry:
        models = registry.key_models()
    print(models.model_dump_json(indent=2) if as_json else "\n".join(_lines(models)))


@app.command()
def use(version: Chosen) -> None:
    """Use a version of the registry's model, or the shipped one, until another choice. Administrators only."""
    from treaty.registry.schemas.key_models import KeyModelChoiceIn

    with service.open_client() as registry:
        models = registry.key_models()
        number = models.version if version == AUTO else _number(version)
        choice = KeyModelChoiceIn(version=number, pinned=version != AUTO)
        models = registry.use_key_model(choice, etag=models.etag)
    print("\n".join(_lines(models)))


def _number(version: str) -> int | None:
    if version == SHIPPED:
        return None
    if not version.isdecimal() or not 1 <= int(version) <= 999_999:
        raise CliError(f"{version} is not a version: give a number, `{SHIPPED}` or `{AUTO}`; see treaty keys show")
    return int(version)


def _download(registry: "Client", models: "KeyModelsOut", out: Path) -> bool:
    """Write the file of the version in use; return False if the shipped model is in use."""
    from treaty.engine.core.disk import Disk

    if models.version is None:
        return False
    try:
        Disk().replace(str(out.absolute()), registry.key_model(models.version))
    except OSError as error:
        raise CliError(f"Cannot write {out}: {error.strerror}. Check the path.") from None
    return True


def _lines(models: "KeyModelsOut") -> list[str]:
    """Return the model in use, the last training's figures and the versions as lines."""
    pinned = " (chosen; trainings do not replace it)" if models.pinned else ""
    lines = [f"In use: {models.title}{pinned}", f"Reason: {models.reason}", *models.notes]
    if last := models.comparison:
        lines.append(f"Last training: {last.columns} columns, {last.keys} keys, {last.families} families of tables")
    if last and last.area is not None:
        lines += [
            f"  area on unseen families {last.area:.4f}, shipped {last.shipped_area:.4f}, p = {last.chance:.2g}",
            f"  log loss {last.loss:.4f}, shipped {last.shipped_loss:.4f}",
        ]
    return lines + [
        f"Version {each.version}: {each.date}, {each.tables} tables, {each.keys} keys, area {each.area:.4f},"
        f" shipped {each.shipped_area:.4f}"
        for each in models.versions
    ]
