"""Texts of the page "Getting started"."""

FOUR_STEPS = "**From a table to a contract that is validated on every change, in four steps**"
CONNECT = "Draft a contract for a table"
NAME_TABLE = (
    "Choose a table that Spark can read. Treaty profiles it and suggests checks that its history satisfies. "
    "Nothing takes effect until an owner approves."
)
INVITE_OWNER = "Invite an owner"
OWNER_APPROVES = "An owner approves what someone else drafted. The review is in their inbox."
INVITE = "Invite user"
ADMINISTRATOR_ADDS = "Ask an administrator to add users."
POINT_LISTENER = "Connect Spark's listener"
WHERE_SETTINGS_GO = (
    "Add this to spark-defaults.conf, or pass it to spark-submit with --conf. Use an address that your jobs can reach:"
)
TOKEN_PLACE = "THE TOKEN FROM BELOW"
TOKEN_NAME = "spark jobs"
WAITING = ":material/hourglass_empty: **Waiting for the first event**"
LOOKS_AGAIN = "This page checks again every few seconds. Run a job that writes a table."
FIRST_VERDICT = "See the first verdict"
JUDGED_SOON = "The contract is validated within seconds after an event reports a change to the table."
SEE_CONTRACTS = "View contracts"
