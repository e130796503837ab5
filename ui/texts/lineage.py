"""Texts of the lineage page: graph, events and datasets without a contract."""

from treaty.ui.texts.formatting import count, pluralize

GRAPH = "Graph"
EVENTS = "Events"
REFUSED = "Refused"
WITHOUT_CONTRACT = "Without contract"

NODE = "Dataset or job"
NODE_EXAMPLE = "dataset:file:/lake/orders"
DEPTH = "How many jobs further"
NO_NODE = "No dataset named"
OPEN_ONE = "Open one from a contract, or write dataset:, its namespace, : and its name."
UNKNOWN_NODE = "Lineage knows nothing of that"
WRITE_ONE = "Write dataset:, then its namespace, : and its name."
GRAPH_PICTURE = "The lineage graph, as the table says it"
GRAPH_CUT = "There is more than the registry tells at once. Go less far, or open a node, to see all around it."
NODES = "Datasets and jobs of the graph, the nearest first"

GROUP = "group"
DATASET = "dataset"
JOB = "job"
FURTHER_UP = "further upstream"
NO_NEIGHBOURS = "on neither side"
FURTHER_DOWN = "further downstream"
NODE_IS = "Is"
VERDICT = "Verdict"
COMES_FROM = "Comes from"
GOES_TO = "Goes to"

NO_EVENT = "Nothing came yet"
SEND_EVENTS = "Point a job's OpenLineage transport at this registry, with an API token."
NEWEST_EVENTS = "The newest lineage events"
REPEATED = "Came again"
OLDEST = "Oldest that waits"
RECEIVED = "Came"
EVENT_JOB = "Job"
WROTE = "Wrote"
SENT_BY = "Sent by"
TIMES = "Times"
NOTED = "Noted"

NOTHING_REFUSED = "Nothing was refused"
REFUSED_APPEAR = "Bodies that are no lineage events appear here, with the reason."
REFUSED_BODIES = "Refused bodies"
STATUS = "Status"
ID = "Id"

ALL_HAVE_CONTRACTS = "Every dataset has a contract"
UNMATCHED_APPEAR = "What runs write and no contract is about appears here."
MAKE_CONTRACT = "Make a contract, or an alias"


def grouped(nodes: int) -> str:
    return f"{count(nodes)} nodes: those far away are drawn as groups. The table has them all."


def group_of(nodes: int, side: str) -> str:
    return f"{count(nodes)} {side}"


def unreadable(events: int) -> str:
    return f"{pluralize(events, 'event')} could not be read"


def more_outputs(number: int) -> str:
    return f" and {number} more"


def written(times: int) -> str:
    return f"written {pluralize(times, 'time')}"


def by(job: str) -> str:
    return f"by {job}"


def columns(listed: str) -> str:
    return f"Columns: {listed}"
