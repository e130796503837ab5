"""All detectors there are: this module declares them by importing theirs."""

from collections.abc import Mapping
from typing import Any

from engine.anomaly import automatic, plain, programs, seasonal  # noqa: F401 - each declares detectors
from engine.anomaly.base import DETECTORS, Detector

__all__ = ["DETECTORS", "Detector", "detector"]


def detector(name: str, arguments: Mapping[str, Any]) -> Detector:
    """The detector of that name with these arguments. Raises KeyError (the name), pydantic's ValidationError."""
    return DETECTORS[name].model_validate(dict(arguments))
