"""The time, asked for at the edges only (route, worker, command); everything beneath is handed it."""

from treaty.engine.core.clock import now

__all__ = ["now"]
