"""Derive the options of commands that learn from history or from a lake."""

from typing import Annotated, Any

import typer
from pydantic import BaseModel

from treaty.engine.core.learning_options import BoundName, PatternMethod, PatternOptions, ProgramOptions


def _option(model: type[BaseModel], name: str, condition: str) -> Any:
    """Return the option for a field of a model, with its description and limits.

    `condition`: what the option needs to have an effect."""
    field = model.model_fields[name]
    limits = {
        option: getattr(limit, bound)
        for limit in field.metadata
        for bound, option in (("ge", "min"), ("le", "max"))
        if hasattr(limit, bound)
    }
    words = (field.description or "").replace("`", "'")
    return typer.Option(help=f"{condition}{words}.", **limits)


HISTORY, LAKE = "With --by-history: ", "With a pattern index: "

FalseAlarms = Annotated[float, _option(ProgramOptions, "false_alarms", HISTORY)]
Bound = Annotated[BoundName, _option(ProgramOptions, "bound", HISTORY)]
Clauses = Annotated[int, _option(ProgramOptions, "clauses", HISTORY)]
HistoryLength = Annotated[int | None, _option(ProgramOptions, "history", HISTORY)]
Refit = Annotated[str, _option(ProgramOptions, "refit", HISTORY)]
PatternMethodOption = Annotated[PatternMethod, _option(PatternOptions, "method", LAKE)]
MaxImpurity = Annotated[float | None, _option(PatternOptions, "max_impurity", LAKE)]
MinColumns = Annotated[int | None, _option(PatternOptions, "min_columns", LAKE)]
MaxTokens = Annotated[int | None, _option(PatternOptions, "max_tokens", LAKE)]
MaxDiscarded = Annotated[float | None, _option(PatternOptions, "max_discarded", LAKE)]
