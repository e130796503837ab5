"""Texts of the contract pages: list, catalog, contract and document."""

from treaty.ui.texts.formatting import pluralize

# The catalog and the list.
HOW_TO_BEGIN = "Draft one from a table that Spark can read, or propose one through the API."
SEARCHED = "Name, id or owner"
SEARCHED_IN_CATALOG = "Names, columns, descriptions, owners, datasets"
NO_MATCH = "No matching contracts"
FEWER_WORDS = "Try fewer or different words."
NOTHING_MATCHES = "No results"
ASK_FOR_LESS = "Try fewer words or filters, or request a contract for the table."
MORE = "Next page"
SHOW_ALL = "Clear search and filters"
ONLY_SUBSCRIBED = "Only my subscriptions"
NO_VERSION_IN_FORCE = "no version yet"
BAD_DATA_ABOVE = "upstream bad data"

# One contract.
OVERVIEW = "Overview"
CHECKS = "Checks"
VERSIONS = "Versions"
DIFF = "Diff"
RUNS = "Runs"
HISTORY = "History"
ACTIVITY = "Activity"
NO_CONTRACT = "No contract selected"
OPEN_ONE = "Open one from the list of contracts."
OWNER = "Owner"
LAST_RUN = "Last run"
NEXT_RUN = "Next run"
DATA_ARE_DUE = "Data is due by then and is validated when it arrives"
AS_RUNS_CAME = "Estimated from the last runs"
WHEN_DATA_COME = "when data arrives"
SERVICE_LEVELS = "Service levels"
LEVELS_TABLE = "Service levels of the contract"
LEVEL = "Service level"
OF = "Element"
NONE_PROMISED = "none"
OPEN_DRAFTS = "Open proposals"
OPEN_LAST_REPORT = "Open last report"
NO_VERSION = "No version yet"
HOW_VERSIONS_COME = "The first version becomes active when its proposal is approved."
COLUMNS_TABLE = "Columns and their constraints"
DATASETS_TABLE = "Datasets of the contract"
LOCATION = "Location"
PARTITIONED_BY = "Partitioned by"
NO_CHECK = "No checks"
CHECKS_JUDGED = "Checks with their latest results and how each is evaluated"
CHECKS_TABLE = "Checks in words"
VALIDATED = "Evaluated"
OTHER_TOOLS = "Export for other tools"
FORM = "Format"
DOWNLOAD = "Download"
AS_WRITTEN = "Document (YAML)"
APPROVED_BY = "Approved by"
APPROVED = "Approved"
FINGERPRINT = "Fingerprint"
READ_VERSION = "Show version"
NOTHING_TO_COMPARE = "Nothing to compare"
ONE_VERSION = "A comparison needs two versions. Approve another version first."
AGAINST = "Compare with"
SAME_VERSION = "Identical versions"
CHOOSE_ANOTHER = "Choose a different version on one side."
LINE_BY_LINE = "Text differences"
NOTHING_HAPPENED = "No activity yet"
EVENTS_APPEAR = "Proposals, versions, runs and incidents of this contract appear here."
OTHER_EVENTS = "Choose another kind or user."
DOWNLOAD_EVENTS = "Download as CSV"
DRAFT = "Proposal"
RUN = "Run"
INCIDENT = "Incident"
EVENTS_TABLE = "Activity of the contract"
NO_RUN = "No runs yet"
WHEN_RUNS_COME = "A run starts when a lineage event reports a change to a table of this contract."
FIRST_RUN_BEGINS = "The history starts with the first run."
EXPLORE_METRIC = "Explore metric"
NO_NUMBER = "This metric has no numeric values to chart."
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
PROMISES = {"primaryKey": "primary key", "required": "required", "unique": "unique", "partitioned": "partition"}
TYPE = "Type"
COLUMN_PROMISES = "Constraints"
DESCRIPTION = "Description"
SCOPE = "Scope"
WARNING = "warning"
ERROR = "error"


def contract_count(contracts: int) -> str:
    return pluralize(contracts, "contract")


def owner(name: str) -> str:
    return f"owner {name}"


def open_drafts(number: int) -> str:
    return pluralize(number, "open proposal")


def columns(number: int) -> str:
    return f"Columns ({number:,})"


def datasets(number: int) -> str:
    return f"Datasets ({number:,})"


def lineage_of(dataset: str) -> str:
    return f"Lineage of {dataset}"


def judged_by(checks: int, runner: str) -> str:
    return f"{pluralize(checks, 'check')} evaluated {runner}"


def written_out(checks: int) -> str:
    return f"Explicit checks ({checks:,})"


def signed_by(name: str) -> str:
    return f"signed by {name}"


def put_forward(title: str, state: str) -> str:
    return f"proposed “{title}” ({state})"


def approved_version(number: str) -> str:
    return f"approved version {number}"


def came_into_force(version: str) -> str:
    return f"version {version} became active"


def version_ended(version: str, state: str, why: str) -> str:
    return f"version {version} is {state}{why}"


def run_judged(table: str, verdict: str) -> str:
    return f"run on {table}: {verdict}"


def incident_opened(table: str) -> str:
    return f"incident opened on {table}"


def incident_ended(table: str, why: str) -> str:
    return f"incident on {table} resolved: {why}"


def last_runs(number: int) -> str:
    return f"Last {number} runs, newest on the right"


def by_then(moment: str) -> str:
    return f"by {moment}"


def about_then(moment: str) -> str:
    return f"about {moment}"


def levels(number: int, missed: int) -> str:
    return f"{number:,}{f' ({missed:,} missed)' if missed else ''}"
