"""The `treaty` command: the engine's verbs and the registry's, and how every failure ends."""

import sys

import click
import typer

from contracts.errors import ContractError
from engine import cli as engine_verbs
from engine.requests import EngineError

app = typer.Typer(
    name="treaty",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Data contracts for Apache Spark.",
)
engine_verbs.add_to(app)


def main(arguments: list[str] | None = None) -> None:
    """Runs a command and exits: 0 done, 1 violated, 2 warned, 3 could not check (wrong usage too), 4 not recorded."""
    sys.exit(_code(arguments))


def _code(arguments: list[str] | None) -> int:
    try:
        return int(app(args=arguments, standalone_mode=False) or 0)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.Abort:
        return _failed("stopped")
    except click.ClickException as usage:
        usage.show()
        return engine_verbs.NOT_CHECKED
    except engine_verbs.Stop as stop:
        return _failed(str(stop), stop.code)
    except ContractError as invalid:
        return _failed(
            f"the contract has {len(invalid.faults)} fault(s):\n" + "\n".join(f"  {fault}" for fault in invalid.faults)
        )
    except EngineError as error:
        return _failed(error.reason)


def _failed(message: str, code: int = engine_verbs.NOT_CHECKED) -> int:
    print(f"treaty: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
