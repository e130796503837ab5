"""Store fits and feedback of detectors, and compute their baselines."""
