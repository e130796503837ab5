"""Commands for contract templates."""

from pathlib import Path
from typing import Annotated

import typer

from treaty.engine.cli.commands import CliError
from treaty.registry.cli.commands.service import open_client

app = typer.Typer(name="template", no_args_is_help=True, help="Manage contract templates.")
Name = Annotated[str, typer.Argument(metavar="TEMPLATE", help="Template name", show_default=False)]
Words = Annotated[list[str] | None, typer.Option("--set", help="Value of a placeholder, such as id=orders; repeatable")]
File = Annotated[Path | None, typer.Option("-o", "--out", help="New output file")]
RegistryOption = Annotated[bool, typer.Option("--registry", help="Include templates saved in the registry")]
Document = Annotated[
    Path, typer.Argument(metavar="FILE", help="Contract document with placeholders such as ${id}", show_default=False)
]
Description = Annotated[str, typer.Option(help="Purpose of the template", show_default=False)]


@app.command("list")
def list_templates(registry: RegistryOption = False) -> None:
    """List templates with their purpose and placeholders."""
    from treaty.registry.exchange.builtin_templates import templates

    if not registry:
        for each in templates():
            print(f"{each.name}: {each.about}\n  placeholders: {', '.join(each.places)}")
        return
    with open_client() as client:
        for saved in client.templates():
            owner_note = f" (saved by {saved.owner})" if saved.owner else ""
            print(f"{saved.name}: {saved.description}{owner_note}\n  placeholders: {', '.join(saved.placeholders)}")


@app.command()
def show(name: Name, words: Words = None, out: File = None, registry: RegistryOption = False) -> None:
    """Print a template's document with its placeholders filled in. Exits with 3 if the values are invalid."""
    pairs = [each.partition("=") for each in words or ()]
    if malformed := [place for place, sign, _ in pairs if not sign]:
        raise CliError(f"--set {malformed[0]} has no value. Use --set {malformed[0]}=VALUE.")
    text = _filled(name, {place: word for place, _, word in pairs}, registry=registry)
    if not out:
        print(text, end="")
        return
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise CliError(f"Cannot write {out}: {error.strerror}. Check the path.") from None


@app.command()
def save(name: Name, document: Document, description: Description) -> None:
    """Save a contract document as a template in the registry. Owners only."""
    try:
        text = document.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CliError(f"Cannot read {document} as text: {type(error).__name__}") from None
    with open_client() as client:
        saved = client.save_template(name, description, text)
    print(f"{saved.name}: {saved.description}\n  placeholders: {', '.join(saved.placeholders)}")


@app.command()
def remove(name: Name) -> None:
    """Remove your template from the registry."""
    with open_client() as client:
        client.remove_template(name)
    print(f"Removed template {name}.")


def _filled(name: str, words: dict[str, str], *, registry: bool) -> str:
    from treaty.registry.exchange.builtin_templates import DocumentTemplate, template

    if not registry:
        return template(name).filled(words)
    with open_client() as client:
        saved = next((each for each in client.templates() if each.name == name), None)
    if saved is None:
        raise CliError(f"Template {name} does not exist. List templates with: treaty template list --registry")
    return DocumentTemplate(saved.name, saved.description, saved.document).filled(words)
