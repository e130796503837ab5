"""Texts of the lineage page: graph, events and datasets without a contract."""

from treaty.ui.texts.formatting import count, pluralize

GRAPH = "Graph"
EVENTS = "Events"
REFUSED = "Rejected"
WITHOUT_CONTRACT = "Without contract"

NODE = "Dataset or job"
NODE_EXAMPLE = "dataset:file:/lake/orders"
DEPTH = "Depth"
NO_NODE = "No dataset selected"
OPEN_ONE = "Open one from a contract, or enter `dataset:namespace:name`."
UNKNOWN_NODE = "Not found in lineage"
WRITE_ONE = "Enter `dataset:namespace:name`."
GRAPH_PICTURE = "Lineage graph; the table has the same content"
GRAPH_CUT = "Graph truncated. Reduce the depth or open a node."
NODES = "Datasets and jobs of the graph, nearest first"

GROUP = "group"
DATASET = "dataset"
JOB = "job"
FURTHER_UP = "further upstream"
NO_NEIGHBOURS = "not connected"
FURTHER_DOWN = "further downstream"
NODE_IS = "Type"
VERDICT = "Verdict"
COMES_FROM = "Upstream"
GOES_TO = "Downstream"

NO_EVENT = "No events yet"
SEND_EVENTS = "Point the OpenLineage transport of a job at this registry, with an API token."
NEWEST_EVENTS = "Latest lineage events"
REPEATED = "Duplicates"
OLDEST = "Oldest pending"
RECEIVED = "Received"
EVENT_JOB = "Job"
WROTE = "Outputs"
SENT_BY = "Sent by"
TIMES = "Times received"
NOTED = "Notes"

NOTHING_REFUSED = "No rejected requests"
REFUSED_APPEAR = "Request bodies that are not valid lineage events appear here with the reason."
REFUSED_BODIES = "Rejected request bodies"
STATUS = "Status"
ID = "Id"

ALL_HAVE_CONTRACTS = "Every dataset has a contract"
UNMATCHED_APPEAR = "Datasets that jobs write without a contract appear here."
MAKE_CONTRACT = "Create a contract or an alias"


def grouped(nodes: int) -> str:
    return f"{count(nodes)} nodes. Distant ones are grouped; the table lists them all."


def group_of(nodes: int, side: str) -> str:
    return f"{count(nodes)} {side}"


def unreadable(events: int) -> str:
    return f"{pluralize(events, 'event')} could not be read"


def more_outputs(number: int) -> str:
    return f" and {number:,} more"


def written(times: int) -> str:
    return f"written {pluralize(times, 'time')}"


def by(job: str) -> str:
    return f"by {job}"


def columns(listed: str) -> str:
    return f"Columns: {listed}"
