"""Generate the glossary: the product words, one for each meaning."""

from collections.abc import Iterator

from docs.generators.markdown import table

INTRODUCTION = """
Treaty uses one word for one thing, in the pages, the commands, the API and this documentation. These are the words.
"""
# By subject: the word and its definition.
TERMS: dict[str, dict[str, str]] = {
    "Contracts": {
        "contract": "Agreement about a dataset between its producer and its consumers: schema, checks and terms. It is"
        " an ODCS document.",
        "object": "Table that a contract describes. A contract may have several.",
        "version": "Published, immutable state of a contract. At most one version of each group is in force.",
        "in force": "A version is in force if its state is active or deprecated. Data is validated against it.",
        "draft": "Contract that Treaty generates from the history of a table, before anyone reviews it.",
        "proposal": "New document of a contract that is under review.",
        "check": "One verifiable rule of a contract, with a severity: error or warning.",
        "terms": "Settings of a contract that ODCS does not define, such as compatibility and deadlines.",
        "suggestion": "Check or term that Treaty proposes, with evidence. You accept, reject or edit it.",
        "evidence": "Measurements that a suggestion rests on: how often it held and which issues it detects.",
        "compatibility mode": "Rule for changes between versions, such as BACKWARD. A change that violates it is"
        " breaking.",
        "direction": "Effect of a change on the permitted data: it tightens, loosens, does both or neither.",
    },
    "Data": {
        "dataset": "Table or other data with a lineage name. An alias connects it to an object of a contract.",
        "partition": "Part of a table with equal values of its partition columns, as in Spark.",
        "arrival": "Files that were added to a table without partitions at one time.",
        "snapshot": "State of a table at one time, as in Delta Lake and Apache Iceberg.",
        "analyzer": "Definition of a metric, such as `completeness`.",
        "metric": "Number that an analyzer computes from data.",
        "measurement": "Stored value of a metric, with its time, partition and run.",
        "component": "Smallest mergeable summary of a partition, such as a count or a sketch of quantiles.",
        "state": "Components of one partition. Metrics of any set of partitions are computed from states without"
        " reading rows.",
        "state store": "Place where Treaty keeps states, in the database or in files.",
        "profile": "Summary of a table by column: completeness, frequent values, quantiles and types.",
    },
    "Validation": {
        "validation": "Evaluation of a contract on data.",
        "run": "Stored record of a validation, with one result for each check.",
        "result": "Outcome of one check in a run: passed, failed, uncertain, or not evaluated with a reason.",
        "verdict": "Outcome of a run: passed, warned, uncertain, not evaluated or failed.",
        "violation": "Failed check. Violating rows are the rows that cause it; a few of them are stored as a sample.",
        "gate": "Decision whether a partition may be read or published: allow, warn, block or unknown.",
        "candidate": "New data that a gate evaluates before it publishes it to the table.",
        "quarantine": "Separation of the rows of a table into good rows and bad rows.",
        "deadline": "Time by which data must arrive. Freshness is the age of the newest data.",
    },
    "Anomaly detection": {
        "detector": "Model that computes a band of expected values for a metric from its history.",
        "band": "Range of values that a detector expects.",
        "threshold": "Fixed limit of a check. A bound is a limit of an estimate.",
        "expected value": "Forecast of a detector for the next value.",
        "program": "Set of checks that Treaty learns from past partitions (Auto-Validate-by-History). Each check is a"
        " clause.",
        "fit": "Learned parameters of a program. A refit learns them again from newer data.",
        "feedback": "Mark on a data point: expected, or an incident. Detectors and refits take it into account.",
        "false alarm": "Failed check although the data is fine. The false-alarm budget limits their number per year.",
        "backtest": "Evaluation of a detector on its own past.",
        "replay": "Evaluation of a version on all stored states, to see its effect before approval.",
        "preview": "Effect of a change that is shown before you save it.",
    },
    "Review": {
        "review": "Process in which owners approve a proposal, request changes or reject it.",
        "approve": "Accept a proposal. With the required number of approvals it becomes a version.",
        "assignee": "User who works on a proposal or an incident. Without one it is unassigned.",
        "snooze": "Hide a proposal or an incident from your inbox until a date.",
        "acknowledge": "Confirm that you have seen a breaking change, or that you work on an incident.",
        "incident": "Ongoing problem of a dataset, opened by a failed validation. Its state is open, acknowledged or"
        " resolved.",
        "severity": "Weight of a check or an incident: error or warning.",
    },
    "People and access": {
        "producer": "Team that writes a dataset.",
        "owner": "User who decides about a contract.",
        "consumer": "Team or user who reads a dataset and subscribes to its contract.",
        "subscription": "Registered use of a contract. It may pin a version and add its own checks.",
        "pin": "Version or group that a subscription stays on.",
        "impact": "Effect of a change or of bad data on consumers and on downstream datasets.",
        "upstream, downstream": "Datasets that a dataset is computed from, and datasets that are computed from it.",
        "role": "Set of permissions, such as owner. A grant gives a role on everything, a domain, a contract or a"
        " dataset.",
        "permission": "Right to do one kind of thing, such as `proposals:decide`. The scopes of a token are"
        " permissions.",
        "token": "Secret for programs that call the API. A session is the sign-in of a person.",
        "visibility": "Objects that a user may see. Other objects appear as not found.",
        "audit log": "Record of every change. Its entries form a hash chain, and its head is signed.",
    },
    "Lineage and operations": {
        "lineage event": "OpenLineage message in which a job reports the datasets that it reads and writes.",
        "alias": "Lineage name of an object of a contract. A symlink is another name of the same dataset.",
        "facet": "Part of a lineage event with additional information, as in OpenLineage.",
        "trigger": "Lineage event or schedule that starts a validation.",
        "task": "Unit of work in the queue, such as a validation.",
        "lease": "Time in which one worker may work on a task. Another worker takes over after it expires.",
        "retry": "New attempt at a task that failed. After the last attempt it is failed until you retry it.",
        "periodic job": "Work that a worker does regularly, such as upkeep.",
        "outbox": "Stored notifications and events that wait for delivery.",
        "channel": "Destination of notifications: a mail address or a webhook.",
        "connection": "Configured metadata catalog.",
    },
}


def page() -> Iterator[str]:
    """Generate the page."""
    yield "# Glossary"
    yield INTRODUCTION
    for subject, terms in TERMS.items():
        yield f"## {subject}\n"
        yield from table(("Word", "Meaning"), ((f"**{word}**", meaning) for word, meaning in terms.items()))
