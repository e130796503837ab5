"""Anomaly detection: compare a metric with a band that a detector computes from its history.

Importing this package registers all detectors in `DETECTORS`."""

from treaty.engine.anomaly import auto_detector, closed_form, learned_programs, seasonal_models, volume_detector
from treaty.engine.anomaly.detector import DETECTORS

__all__ = ["DETECTORS", "auto_detector", "closed_form", "learned_programs", "seasonal_models", "volume_detector"]
