"""Run the scans of profiles and drafts."""
