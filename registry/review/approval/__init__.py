"""Approvals, successions and activation."""
