"""Approvals, succession and activation of versions."""
