"""Texts of the page of patterns."""

from treaty.ui.texts.formatting import percent

PATTERN = "Pattern"
PATTERN_EXAMPLE = "<digit>{4}-<digit>{2}-<digit>{2}"
NO_CARRIER = "No matching columns"
FEW_MATCH = "None of the columns that you may read has this pattern in at least 90 % of its values."
NEIGHBOURS = {
    "narrower": ("Narrower", "Narrower patterns, nearest first"),
    "wider": ("Wider", "Wider patterns, nearest first"),
}

TOO_FEW_COLUMNS = "Too few columns have this pattern to rate it."
MEANS = "Meaning"
COLUMNS_OF_ALL = "in all tables, including those that you may not read"
DO_NOT_MATCH = "Non-matching values"
MEAN_OVER_COLUMNS = "mean over these columns"
FALSE_ALARMS = "False alarms"
ALARMS_ESTIMATED = "estimated for a check with this pattern"

CARRIERS = "Columns with this pattern"
CARRIERS_TABLE = "Columns with this pattern"
MATCH = "Matching"
CONTRACT_PAGE = "Contract page"

DOMAINS = "Common domains"
DOMAINS_TABLE = "Common domains, most columns first"
NOTHING_LEARNED = "No patterns yet"
LEARNED_BY_NIGHT = "Patterns are learned every night from tables with a contract."
LEARN = "Learn now"
LEARNED_SOON = "Learning starts as soon as a worker is free."
SHARE_UNMATCHED = "Non-matching"
ITS_COLUMNS = "Columns of the pattern"


def share(of: float) -> str:
    return percent(of)
