"""Anomalies: whether a metric is what its own past says, by detectors that name the band they admit."""
