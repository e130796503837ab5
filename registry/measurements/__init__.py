"""Store the history of runs, states, anomalies and patterns."""
