"""`treaty template`: documents to start from."""

from pathlib import Path
from typing import Annotated

import typer

from engine.cli import Stop

app = typer.Typer(name="template", no_args_is_help=True, help="Documents to start a contract from.")
Name = Annotated[str, typer.Argument(metavar="TEMPLATE", help="its name", show_default=False)]
Words = Annotated[list[str] | None, typer.Option("--set", help="what to put in a place: id=orders; repeat for more")]
File = Annotated[Path | None, typer.Option("-o", "--out", help="write to this new file")]


@app.command("list")
def list_templates() -> None:
    """Show all templates, what each is for, and the places that are to be filled."""
    from registry.exchange.template import templates

    for each in templates():
        print(f"{each.name}: {each.about}\n  places: {', '.join(each.places)}")


@app.command()
def show(name: Name, words: Words = None, out: File = None) -> None:
    """Write a template's document, with words put in its places. Exit code 3 where they do not fit."""
    from registry.exchange.template import template

    pairs = [each.partition("=") for each in words or ()]
    if unclear := [place for place, sign, _ in pairs if not sign]:
        raise Stop(f"--set {unclear[0]} says no word: write --set {unclear[0]}=WORD")
    text = template(name).filled({place: word for place, _, word in pairs})
    if not out:
        print(text, end="")
        return
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise Stop(f"{out} cannot be written: {error.strerror}. Check the path.") from None
