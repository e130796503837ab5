"""Refit the limits of learned programs in contracts from newer history."""
