"""Anomalies: whether a metric is what its own past says, by detectors that name the band they admit.

Importing this package declares all detectors: it fills the table `DETECTORS`."""

from engine.anomaly import automatic, plain, programs, seasonal
from engine.anomaly.base import DETECTORS

__all__ = ["DETECTORS", "automatic", "plain", "programs", "seasonal"]
