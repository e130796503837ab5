"""Users, teams, grants, permissions, sign-in and sessions."""
