"""Models of the analyzer reference."""

from typing import Any

from treaty.registry.schemas.base import ApiModel


class ArgumentOut(ApiModel):
    """An argument of an analyzer.

    - `form`: JSON schema of the argument.
    - `required`: whether the argument has no default.
    - `description`: meaning of the argument."""

    name: str
    required: bool
    description: str
    form: dict[str, Any]


class AnalyzerOut(ApiModel):
    """An analyzer: the declaration of a metric.

    - `unit`: unit of the metric.
    - `scope`: data that a check evaluates by default.
    - `example`: a check in YAML.
    - `family`: group of related analyzers.
    - `description`: meaning of the metric, with its special cases."""

    name: str
    family: str
    description: str
    unit: str
    scope: str
    arguments: tuple[ArgumentOut, ...]
    example: str
