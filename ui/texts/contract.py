"""Texts of the contract pages: list, catalog, contract and document."""

from treaty.ui.texts.formatting import pluralize

# The catalog and the list.
HOW_TO_BEGIN = "Draft one from a table that Spark can read, or put one forward through the API."
SEARCHED = "name, id or owner"
SEARCHED_IN_CATALOG = "names, columns, descriptions, owners, datasets"
NO_MATCH = "No contract matches"
FEWER_WORDS = "Search for fewer words."
NOTHING_MATCHES = "Nothing matches"
ASK_FOR_LESS = "Search for fewer words, choose fewer labels, or ask for a contract of the table."
MORE = "More"
SHOW_ALL = "Show all contracts"
ONLY_SUBSCRIBED = "Only what you subscribe to"
NO_VERSION_IN_FORCE = "no version yet"
BAD_DATA_ABOVE = "bad data from further up"

# One contract.
OVERVIEW = "Overview"
CHECKS = "Checks"
VERSIONS = "Versions"
DIFF = "Diff"
RUNS = "Runs"
HISTORY = "History"
ACTIVITY = "Activity"
NO_CONTRACT = "No contract named"
OPEN_ONE = "Open one from the list of contracts."
OWNER = "Owner"
LAST_RUN = "Last run"
NEXT_RUN = "Next run"
DATA_ARE_DUE = "Data are due by then, and are judged as they come"
AS_RUNS_CAME = "As often as its last runs came"
WHEN_DATA_COME = "when data come"
SERVICE_LEVELS = "Service levels"
LEVELS_TABLE = "Service levels of the contract"
LEVEL = "Level"
OF = "Of"
NONE_PROMISED = "none promised"
OPEN_DRAFTS = "Open drafts"
OPEN_LAST_REPORT = "Open the last report"
NO_VERSION = "No version yet"
HOW_VERSIONS_COME = "It becomes active when its first proposal is approved."
COLUMNS_TABLE = "Columns and what they promise"
DATASETS_TABLE = "Datasets of the contract"
LOCATION = "Location"
PARTITIONED_BY = "Partitioned by"
NO_CHECK = "No check"
CHECKS_JUDGED = "Checks, how each came out last, and who judges it"
CHECKS_TABLE = "Checks in words"
VALIDATED = "Judged"
OTHER_TOOLS = "For other tools"
FORM = "Form"
DOWNLOAD = "Download"
AS_WRITTEN = "As written (YAML)"
APPROVED_BY = "Approved by"
APPROVED = "Approved"
FINGERPRINT = "Fingerprint"
READ_VERSION = "Read a version"
NOTHING_TO_COMPARE = "Nothing to compare"
ONE_VERSION = "There is one version at most; the next one can be held against it."
AGAINST = "Against"
SAME_VERSION = "The same version twice"
CHOOSE_ANOTHER = "Choose another one on either side."
LINE_BY_LINE = "Line by line"
NOTHING_HAPPENED = "Nothing happened yet"
EVENTS_APPEAR = "Drafts, versions, runs and incidents of the contract appear here."
OTHER_EVENTS = "Choose another kind, or everybody."
DOWNLOAD_EVENTS = "Download these (CSV)"
DRAFT = "Draft"
RUN = "Run"
INCIDENT = "Incident"
EVENTS_TABLE = "What happened to the contract"
NO_RUN = "No run yet"
WHEN_RUNS_COME = "A run follows when lineage says that a table of the contract changed."
FIRST_RUN_BEGINS = "The first run begins it."
EXPLORE_METRIC = "Explore this metric"
NO_NUMBER = "This metric has no number to draw."
METRIC = "value"
RECOVERED = "recovered"

# The document.
CONDITIONS = {
    "mustBe": "is {}",
    "mustNotBe": "is not {}",
    "mustBeGreaterThan": "is above {}",
    "mustBeGreaterOrEqualTo": "is at least {}",
    "mustBeLessThan": "is below {}",
    "mustBeLessOrEqualTo": "is at most {}",
    "mustBeBetween": "is between {} and {}",
    "mustNotBeBetween": "is not between {} and {}",
}
PROMISES = {"primaryKey": "key", "required": "always present", "unique": "unique", "partitioned": "partition"}
TYPE = "Type"
COLUMN_PROMISES = "Promises"
DESCRIPTION = "Description"
SCOPE = "Scope"
WARNING = "warning"
ERROR = "error"


def contract_count(contracts: int) -> str:
    return pluralize(contracts, "contract")


def owner(name: str) -> str:
    return f"owner {name}"


def open_drafts(number: int) -> str:
    return pluralize(number, "open draft")


def columns(number: int) -> str:
    return f"Columns ({number})"


def datasets(number: int) -> str:
    return f"Datasets ({number})"


def lineage_of(dataset: str) -> str:
    return f"Lineage of {dataset}"


def judged_by(checks: int, runner: str) -> str:
    return f"{pluralize(checks, 'check')} {runner}"


def written_out(checks: int) -> str:
    return f"Written out as checks ({checks})"


def signed_by(name: str) -> str:
    return f"signed by {name}"


def put_forward(title: str, state: str) -> str:
    return f"put “{title}” forward: {state}"


def approved_version(number: str) -> str:
    return f"approved version {number}"


def came_into_force(version: str) -> str:
    return f"version {version} came into force"


def version_ended(version: str, state: str, why: str) -> str:
    return f"version {version} is {state}{why}"


def run_judged(table: str, verdict: str) -> str:
    return f"a run of {table}: {verdict}"


def incident_opened(table: str) -> str:
    return f"an incident of {table} was opened"


def incident_ended(table: str, why: str) -> str:
    return f"the incident of {table} ended: {why}"


def last_runs(number: int) -> str:
    return f"The last {number} runs, the newest on the right"


def by_then(moment: str) -> str:
    return f"by {moment}"


def about_then(moment: str) -> str:
    return f"about {moment}"


def levels(number: int, missed: int) -> str:
    return f"{number} promised{f', {missed} missed' if missed else ''}"
