"""Fits, baselines and feedback of detectors."""
