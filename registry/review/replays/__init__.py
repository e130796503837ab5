"""Replays of a proposed version on stored states."""
