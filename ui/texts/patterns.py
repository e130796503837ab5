"""Texts of the page of patterns."""

PATTERN = "Pattern"
PATTERN_EXAMPLE = "<digit>{4}-<digit>{2}-<digit>{2}"
NO_CARRIER = "No column carries it"
FEW_MATCH = "Of no column that you may read do nine in ten values have this pattern."
NEIGHBOURS = {
    "narrower": ("Narrower", "Narrower patterns, the nearest first"),
    "wider": ("Wider", "Wider patterns, the nearest first"),
}

TOO_FEW_COLUMNS = "Too few columns have it for the index to say how good it is."
MEANS = "Means"
COLUMNS_OF_ALL = "of all tables, also those you may not read"
DO_NOT_MATCH = "Values that do not match"
MEAN_OVER_COLUMNS = "the mean over these columns"
FALSE_ALARMS = "False alarms"
ALARMS_ESTIMATED = "estimated, where it is promised"

CARRIERS = "Columns that carry it"
CARRIERS_TABLE = "Columns that carry the pattern"
MATCH = "Match"
CONTRACT_PAGE = "Contract's page"

DOMAINS = "Common domains"
DOMAINS_TABLE = "Common domains, those of most columns first"
NOTHING_LEARNED = "Nothing learned yet"
LEARNED_BY_NIGHT = "Patterns are learned by night, from tables that contracts are about."
LEARN = "Learn now"
LEARNED_SOON = "Patterns are learned as soon as a worker can."
SHARE_UNMATCHED = "Do not match"
ITS_COLUMNS = "Its columns"


def share(of: float) -> str:
    return f"{of:.1%}"
