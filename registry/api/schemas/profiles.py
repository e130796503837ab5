"""Profiles of tables, as the API gives them: in the format that the engine writes."""

from engine.profile.shape import Bins, ColumnDocument, Counted, ProfileDocument, Reads

__all__ = ["Bins", "ColumnDocument", "Counted", "ProfileDocument", "Reads"]
