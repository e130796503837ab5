"""History: runs, states, anomalies, patterns."""
