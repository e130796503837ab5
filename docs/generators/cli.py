"""Generate the page of commands, grouped by subject, and the page of exit codes."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

import typer

from docs.generators.markdown import anchor, cell, code, phrase, table
from treaty.engine.cli import commands as engine_commands
from treaty.registry.cli import main as registry_commands

SUBJECTS = {
    "Check data": ("verify", "quarantine", "explain", "profile", "gate", "patterns", "keys"),
    "Write and compare contracts": (
        "draft", "import", "export", "template", "search", "checks", "diff", "breaking", "replay",
    ),
    "Review proposals": (
        "propose", "inbox", "review", "comment", "approve", "reject", "request-changes", "withdraw-changes",
        "withdraw",
    ),
    "Versions and consumers": (
        "versions", "deprecate", "retire", "subscribe", "subscriptions", "consumers", "acknowledge", "impact",
        "inferred-consumers",
    ),
    "Results and states": ("metrics", "history", "fits", "states", "rerun", "erase"),
    "Incidents and notifications": ("incidents", "notify"),
    "Lineage": ("lineage",),
    "Access and audit": ("access", "locations", "catalogs", "audit"),
    "Run the service": (
        "demo", "up", "init", "api", "worker", "tasks", "retry-task", "stop-task", "backup", "restore",
    ),
}  # fmt: skip
INTRODUCTION = """
Run `treaty COMMAND --help` to show the same text in a terminal. Each command ends with an
[exit code](exit-codes.md). Commands that call the registry use
[`TREATY_API_URL` and `TREATY_TOKEN`](settings.md#api-and-pages).

In usage lines, words in capitals are values that you supply, and options in brackets may be omitted.
"""
CODES_INTRODUCTION = """
Every `treaty` command ends with one of these codes, so that scripts and schedulers can react to a result.
"""
CODES = (
    (
        engine_commands.PASSED,
        "Success: the data passed, possibly with warnings, or the command did what you requested.",
    ),
    (engine_commands.VIOLATED, "The result is negative: a check failed, rows are bad, or versions differ."),
    (engine_commands.WARNED, "Only checks of severity warning failed, and `--fail-on warning` is set."),
    (
        engine_commands.NOT_CHECKED,
        "The command could not do what you requested: wrong usage, an unreadable table or contract, a missing"
        " permission, or a service that does not respond. A check that could not be evaluated or stays uncertain counts"
        " as well.",
    ),
    (registry_commands.INTERRUPTED, "You stopped the command with Ctrl-C."),
)
# The placeholder of an option's value by its type.
VALUES = {"str": "TEXT", "string": "TEXT", "int": "N", "integer": "N", "float": "X"}
MENTION = re.compile(r"[^.]*\bexits? (?:codes?:|with)[^.]*(?:\.(?!\s|$)[^.]*)*\.", re.IGNORECASE)


def root() -> Any:
    """Return the `treaty` command."""
    return typer.main.get_command(registry_commands.app)


def commands(group: Any, prefix: str = "treaty") -> Iterator[tuple[str, Any]]:
    """Yield every command with its full name, groups excepted."""
    for name, command in group.commands.items():
        full_name = f"{prefix} {name}"
        yield from commands(command, full_name) if hasattr(command, "commands") else [(full_name, command)]


def page() -> Iterator[str]:
    """Generate the page of commands."""
    group = root()
    if missing := set(group.commands) ^ {name for names in SUBJECTS.values() for name in names}:
        raise ValueError(f"docs/generators/cli.py and the command line differ in these commands: {sorted(missing)}")
    yield "# Command line"
    yield INTRODUCTION
    for subject, names in SUBJECTS.items():
        yield f"## {subject}\n"
        rows = [row for name in names for row in _summaries(group.commands[name], f"treaty {name}")]
        yield from table(("Command", "Purpose"), rows)
        for name in names:
            yield from _described(group.commands[name], f"treaty {name}")


def _summaries(command: Any, name: str) -> Iterator[tuple[str, str]]:
    found = commands(command, name) if hasattr(command, "commands") else [(name, command)]
    for full_name, each in found:
        yield f"[`{full_name}`](#{anchor(full_name)})", _help(each).split("\n\n")[0]


def _described(command: Any, name: str) -> Iterator[str]:
    if hasattr(command, "commands"):
        for full_name, each in commands(command, name):
            yield from _described(each, full_name)
        return
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option"]
    yield f"### `{name}`\n\n{_help(command)}\n"
    yield f"```text\n{_usage(name, arguments, options)}\n```\n"
    yield from table(
        ("Argument", "Description", "Default"),
        ((code(_placeholder(each)), _text(each), _default(each)) for each in arguments),
    )
    yield from table(("Option", "Description", "Default", "Environment"), (_option(each) for each in options))


def _help(command: Any) -> str:
    return inspect.cleandoc(command.help or "").replace("\\[", "[")


def _usage(name: str, arguments: list[Any], options: list[Any]) -> str:
    words = [name]
    words += [f"{each.opts[0]} {_value(each)}" for each in options if each.required]
    words += ["[OPTIONS]"] if any(not each.required for each in options) else []
    for each in arguments:
        word = _placeholder(each) + ("..." if each.nargs == -1 else "")
        words.append(word if each.required else f"[{word}]")
    return " ".join(words)


def _placeholder(argument: Any) -> str:
    return (argument.metavar or argument.name).strip("[].").upper()


def _option(option: Any) -> tuple[str, ...]:
    names = [*sorted(option.opts, key=len), *option.secondary_opts]
    if not _is_flag(option):
        names[-1] += f" {_value(option)}"
    default = "required" if option.required else _default(option)
    return ", ".join(map(code, names)), _text(option), default, code(option.envvar)


def _value(option: Any) -> str:
    """Return the placeholder of an option's value: its choices, or a word for its type."""
    if choices := getattr(option.type, "choices", None):
        return "|".join(map(str, choices))
    kind = getattr(option.type, "name", "text")
    # A tuple of values has the name "<str str>".
    kinds = kind.strip("<>").split() if kind.startswith("<") else kind.split()[:1]
    return " ".join(VALUES.get(each, each.upper()) for each in kinds)


def _text(parameter: Any) -> str:
    low, high = (getattr(parameter.type, each, None) for each in ("min", "max"))
    limits = f"Between {low:,} and {high:,}." if low is not None and high is not None else ""
    limits = limits or (f"At least {low:,}." if low is not None else "")
    return phrase(f"{phrase(parameter.help or '')}. {limits}" if limits else parameter.help or "")


def _default(parameter: Any) -> str:
    shown = parameter.show_default if isinstance(getattr(parameter, "show_default", None), str) else parameter.default
    if shown in (None, "", ()) or shown is False or callable(shown):
        return ""
    return code(getattr(shown, "value", shown))


def _is_flag(option: Any) -> bool:
    return bool(getattr(option, "is_flag", False)) or getattr(option.type, "name", "") == "boolean"


def exit_codes() -> Iterator[str]:
    """Generate the page of exit codes."""
    yield "# Exit codes"
    yield CODES_INTRODUCTION
    yield from table(("Code", "Meaning"), ((code(number), text) for number, text in CODES))
    yield "## Commands with codes of their own\n"
    rows = []
    for name, command in commands(root()):
        mentions = MENTION.findall(" ".join(_help(command).split()))
        if mentions:
            rows.append((f"[`{name}`](cli.md#{anchor(name)})", cell(" ".join(each.strip() for each in mentions))))
    yield from table(("Command", "Codes"), sorted(rows))
