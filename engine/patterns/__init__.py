"""Patterns of text columns, learned from all tables of a lake (Auto-Validate, SIGMOD 2021).

Entry point: `infer(values, index)`."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treaty.engine.patterns.inference import PatternResult, infer
    from treaty.engine.patterns.lake_index import PatternLake

__all__ = ["PatternLake", "PatternResult", "infer"]


def __getattr__(name: str) -> Any:
    """Import the entry points on first use.

    Evaluating counts then does not load the learning code."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from treaty.engine.patterns import inference, lake_index

    return getattr(lake_index if name == "PatternLake" else inference, name)
