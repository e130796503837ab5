"""Turn states into check results and verdicts."""
