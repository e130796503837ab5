"""Values that must not be found where a contract classifies their columns, and the search for them."""

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.engine.core import errors
from treaty.engine.states import bag as bags
from treaty.engine.states.bag import StateFileStore
from treaty.engine.states.envelope import MAGIC

PEOPLE = (
    "Quillon Abernathy-Vex",
    "Zsófia Őrkényi",
    "Māhealani Kekauoha",
    "Ibukunoluwa Adé",
    "Ђурађ Њежић-Щур",
    "雪乃神無月",
)
MAILS = (
    "quillon.vex@canary-mail.example", "zsofia+orders@canary-mail.example", "o'mahealani@canary-mail.example",
    "IBUKUN_ADE@canary-mail.example", "olga%visnyova@canary-mail.example", "yukino@canary-mail.example",
    "quoted\"name@canary-mail.example",
)  # fmt: skip
CODES = (
    "4929381750263847", "5398217364091825", "371892047365918", "078-05-9173", "DE89370400440532019377",
    "00491715550193", "900719925474099371",
)  # fmt: skip
BORN = ("1931-02-17", "1947-10-29", "1958-06-03", "1969-12-08", "1983-04-21", "2004-09-14")
CANARIES = (*PEOPLE, *MAILS, *CODES, *BORN)
ROWS = 28
OPEN, CLASSIFIED = "public", "restricted"


def rows(offset: int = 0) -> list[tuple[int, str, str, str, str, str]]:
    """(id, who, mail, code, born, day): each canary in each of two days; ids and mails are unique but for one pair."""

    def at(values: tuple[str, ...], number: int) -> str:
        return values[number % len(values)]

    return [
        (
            number + offset,
            at(PEOPLE, number),
            at(MAILS, number),
            at(CODES, number),
            at(BORN, number),
            f"d{number // 14}",
        )
        for number in range(ROWS)
    ]


def check(analyzer: str, check_id: str | None = None, **words: Any) -> dict[str, Any]:
    """A quality entry; by default one that fails."""
    given = {"mustBe": -1, "scope": "delta", **words, "analyzer": analyzer}
    named = words.get("columns", [words["column"]] if "column" in words else [])
    name = check_id or "-".join([analyzer, *named])
    return {"id": name, "type": "custom", "engine": "treaty", "implementation": given}


CHECKS = (
    check("size"),
    check("completeness", column="mail", mustBe=2),
    check("uniqueness", column="mail", scope="dataset"),
    check("unique_row_ratio", column="code"),
    check("distinctness", columns=["mail", "born"], scope="dataset"),
    check("count_distinct", columns=["who", "day"], scope="dataset"),
    check("primary_key", columns=["id", "code"]),
    check("duplicate_rows", columns=["code"], scope="dataset"),
    check("entropy", column="code", scope="dataset"),
    check("mutual_information", column="who", other="day"),
    check("determination", column="who", other="day"),
    check("approx_count_distinct", column="mail", scope="dataset"),
    check("approx_count_distinct", column="born"),
    check("approx_count_keys", columns=["who"], scope="dataset"),
    check("approx_count_keys", columns=["mail", "born"]),
    check("minimum", column="mail", mustBe="~"),
    check("maximum", column="who", mustBe="~"),
    check("minimum", column="born", mustBe="2100-01-01"),
    check("maximum", column="born", mustBe="2100-01-01", scope="dataset"),
    check("histogram", column="code"),
    check("histogram", column="who", scope="dataset"),
    check("approx_quantile", column="born", quantile=0.5, mustBe="2100-01-01"),
    check("exact_quantile", column="born", quantile=0.5, mustBe="2100-01-01"),
    check("kll_buckets", column="born"),
    check("pattern_share", column="mail"),
    check("minimum_length", column="who"),
    check("data_type", column="code", type="integer"),
    check("pattern_match", column="mail", pattern="[0-9]+", mustBe=1),
    check("sql", check_id="least", query="SELECT min(mail) FROM {object}", mustBe="~"),
)  # fmt: skip


# One of each kind of state.
FEW = tuple(each for each in CHECKS if each["id"] in {
    "size", "uniqueness-mail", "count_distinct-who-day", "approx_count_distinct-mail", "approx_count_keys-who",
    "minimum-mail", "maximum-who", "maximum-born", "histogram-who", "histogram-code", "pattern_match-mail", "least",
})  # fmt: skip


def contract(
    classification: str = CLASSIFIED,
    contract_id: str = "people",
    location: str = "people",
    checks: Sequence[Mapping[str, Any]] = CHECKS,
) -> Contract:
    """The contract that measures these of the columns with canaries, which it classifies so."""
    told = {"classification": classification}
    texts = [{"name": name, "logicalType": "string", **told} for name in ("who", "mail", "code")]
    properties = [
        {"name": "id", "logicalType": "integer"}, *texts, {"name": "born", "logicalType": "date", **told},
        {"name": "day", "logicalType": "string", "partitioned": True, "partitionKeyPosition": 1},
    ]  # fmt: skip
    table = {
        "name": "people", "physicalName": location, "logicalType": "object", "properties": properties,
        "quality": list(checks),
    }  # fmt: skip
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": contract_id, "name": contract_id, "version": "1.0.0"}
    return read(write({**head, "status": "active", "schema": [table]}))


def found(content: bytes) -> set[str]:
    """The canaries that the content holds as text of UTF-8 or UTF-16, as JSON or XML have it, in base64, in
    hexadecimal digits."""
    lower = content.lower()
    return {each for each in CANARIES if any(code in (lower if folded else content) for code, folded in _codes(each))}


def _codes(text: str) -> Iterable[tuple[bytes, bool]]:
    plain = text.encode()
    yield plain, False
    yield text.encode("unicode_escape"), False
    yield json.dumps(text)[1:-1].encode(), False
    yield json.dumps(text, ensure_ascii=False)[1:-1].encode(), False
    yield quoteattr(text)[1:-1].encode(), False
    yield escape(text).encode(), False
    yield text.encode("utf-16-le"), False
    yield text.encode("utf-16-be"), False
    yield plain.hex().encode(), True
    for shift in range(3):
        # What comes before may shift the groups of three bytes; the last group depends on what follows.
        coded = base64.b64encode(b"\0" * shift + plain)
        yield coded[4 if shift else 0 : len(coded) - 4], False


def shown(bag: bytes | bags.StateBag, files: StateFileStore | None = None) -> bytes:
    """All that a bag of states says once it is loaded: its keys, its reasons, and each state as plain data.

    Of one that is damaged, its bytes: nobody else can read more of it."""
    try:
        loaded = bags.unpack(bag, files)
    except errors.StateError:
        return bag if isinstance(bag, bytes) else b""
    told = [f"{loaded.failures}"]
    for key, state in loaded.entries.items():
        table = getattr(state.value, "table", None)
        told.append(f"{key} {state.value if table is None else table.to_pylist()}")
        if isinstance(state.value, bytes):
            told.append(state.value.hex())
    return "\n".join(told).encode()


def in_files(*folders: Path) -> dict[str, set[str]]:
    """The canaries in each file below the folders; Parquet and packed states are opened."""
    import pyarrow.parquet

    told: dict[str, set[str]] = {}
    for path in (each for folder in folders for each in sorted(folder.rglob("*")) if each.is_file()):
        held = found(path.read_bytes()) | found(str(path).encode())
        if path.suffix == ".parquet":
            held |= found(f"{pyarrow.parquet.ParquetFile(path).read().to_pylist()}".encode())
        if path.read_bytes().startswith(MAGIC):
            held |= found(shown(path.read_bytes()))
        if held:
            told[str(path)] = held
    return told


def in_tables(tables: Mapping[str, Iterable[Iterable[Any]]]) -> dict[str, set[str]]:
    """The canaries in each table's rows, whatever a cell is of; packed states are opened."""
    told: dict[str, set[str]] = {}
    for name, held in tables.items():
        canaries = set().union(*(found(_cell(cell)) for row in held for cell in row))
        if canaries:
            told[name] = canaries
    return told


def _cell(cell: Any) -> bytes:
    return bytes(cell) if isinstance(cell, bytes | memoryview) else f"{cell}".encode()
