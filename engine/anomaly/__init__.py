"""Anomalies: whether a metric is what its own past says, by detectors that name the band they admit.

Importing this package declares all detectors: it fills the table `DETECTORS`."""

from treaty.engine.anomaly import auto_detector, closed_form, learned_programs, seasonal_models
from treaty.engine.anomaly.detector import DETECTORS

__all__ = ["DETECTORS", "auto_detector", "closed_form", "learned_programs", "seasonal_models"]
