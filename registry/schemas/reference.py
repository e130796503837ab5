"""The reference of analyzers, as the API gives it."""

from typing import Any

from treaty.registry.schemas.base import ApiModel


class ArgumentOut(ApiModel):
    """An argument of an analyzer; `form` is its JSON schema."""

    name: str
    required: bool
    description: str
    form: dict[str, Any]


class AnalyzerOut(ApiModel):
    """An analyzer: what it measures, in which unit, on what a check judges by default, and a check in YAML."""

    name: str
    family: str
    description: str
    unit: str
    scope: str
    arguments: tuple[ArgumentOut, ...]
    example: str
