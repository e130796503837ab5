"""Hostile documents and requests for POST /proposals, beside those of `contract_texts`; and a process that sends them
all to a service, and says what each of them took."""

import json
import resource
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from support.contract_texts import COLUMNS, HEAD, HOSTILE, TABLE, TERMS, check

SECRET = "hunter2-canary"
KIB = 1024
LIMIT = 256 * KIB


def pad(text: str, size: int = LIMIT - 200) -> str:
    """The text, repeated up to the size."""
    return text * (size // len(text))


def numbered(form: str, size: int = LIMIT - 2000) -> str:
    """The form with rising numbers in it, up to the size."""
    return "".join(form.replace("%", f"{number}") for number in range(size // (len(form) + 5)))


def nested(opening: str, closing: str, depth: int) -> str:
    """A one within so many levels."""
    return opening * depth + "1" + closing * depth


def plain(**changes: Any) -> str:
    """A contract as JSON, with those changes."""
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "shop", "version": "1.0.0", "status": "draft"}
    return json.dumps({**head, **changes}, ensure_ascii=False)


def identified(identity: str) -> str:
    """A contract of that id."""
    return plain(id=identity)


# name: (document, code of a fault that it has, whether that names a line)
DOCUMENTS: dict[str, tuple[str, str, bool]] = {
    "JSON with a key twice": (plain()[:-1] + ', "id": "other"}', "yaml-duplicate-key", True),
    "JSON with a key twice in Unicode": (plain()[:-1] + ', "\\u0069d": "other"}', "yaml-duplicate-key", True),
    "JSON within JSON": (nested('{"a":', "}", 20_000), "yaml-depth", True),
    "JSON with an endless number": (plain()[:-1] + ', "tags": [1e999]}', "yaml-number", True),
    "JSON with many digits": (plain()[:-1] + f', "tags": [{"9" * 200_000}]}}', "yaml-number", True),
    "JSON with half a character": (plain()[:-1] + ', "name": "\\ud800"}', "yaml-syntax", True),
    "JSON with a comment": (plain() + "/* */", "yaml-syntax", True),
    "JSON cut off": (plain()[:-1], "yaml-syntax", True),
    "JSON with thousands of unknown keys": (
        plain()[:-1] + numbered(', "unknown%": 0') + "}", "odcs-unknown-key", True,
    ),
    "thousands of unknown keys": (HEAD + numbered("unknown%: 0\n"), "odcs-unknown-key", True),
    "thousands of keys twice": (HEAD + pad("id: a\n"), "yaml-duplicate-key", True),
    "thousands of anchors": (HEAD + "tags:\n" + numbered("  - &a% x\n"), "yaml-anchor", True),
    "thousands of aliases": (HEAD + "tags:\n" + pad("  - *a\n"), "yaml-alias", True),
    "thousands of tags": (HEAD + "tags:\n" + pad("  - !!str x\n"), "yaml-tag", True),
    "thousands of merge keys": (HEAD + pad("<<: {a: b}\n"), "yaml-merge-key", True),
    "thousands of documents": (HEAD + pad("---\na: b\n"), "yaml-documents", True),
    "thousands of numbers that are none": (HEAD + "tags:\n" + pad("  - .nan\n"), "yaml-number", True),
    "a quadratic bomb": (f"a: &a {'x' * 100_000}\nb: [{'*a, ' * 30_000}x]\n", "yaml-alias", True),
    "questions within questions": (pad("? ", 200_000), "yaml-depth", True),
    "brackets that close nothing": ("]" * 200_000, "yaml-syntax", True),
    "braces within braces": ("{" * 200_000, "yaml-depth", True),
    "quotes that never end": (HEAD + 'name: "' + "x" * 200_000, "yaml-syntax", True),
    "an escape that is none": (HEAD + 'name: "\\q"\n', "yaml-syntax", True),
    "a directive for a tag": ("%TAG ! tag:evil,2000:\n---\n" + HEAD + "name: !x y\n", "yaml-tag", True),
    "a directive of another YAML": ("%YAML 9.9\n---\n" + HEAD, "yaml-syntax", True),
    "an object of Python": (HEAD + f"name: !!python/object/new:os.system [echo {SECRET}]\n", "yaml-tag", True),
    "a binary": (HEAD + "name: !!binary aHVudGVyMg==\n", "yaml-tag", True),
    "nothing but comments": (pad(f"# {SECRET}\n"), "yaml-root", False),
    "nothing but line ends": ("\n" * 200_000, "yaml-root", False),
    "a key without end": ("k" * 200_000 + ": 1\n", "yaml-syntax", True),
    "a NUL": (HEAD + "name: a\x00b\n", "yaml-syntax", False),
    "an escaped NUL": (HEAD + 'name: "a\\0b"\n', "TR-NAME", True),
    "a delete character": (HEAD + "name: a\x7fb\n", "yaml-syntax", False),
    "a control character of 8 bits": (HEAD + "name: a\x84b\n", "yaml-syntax", False),
    "half a character": (HEAD + 'name: "\\ud83d"\n', "yaml-syntax", True),
    "an id without end": (identified("x" * 200_000), "TR-NAME", True),
    "an id of other letters": (identified("shоp"), "TR-NAME", True),  # noqa: RUF001
    "an id of Greek letters among others": (identified("οrders"), "TR-NAME", True),  # noqa: RUF001
    "an id of wide letters": (identified("ｓｈｏｐ"), "TR-NAME", True),  # noqa: RUF001
    "an id of mathematical letters": (identified("𝐬𝐡𝐨𝐩"), "TR-NAME", True),  # noqa: RUF001
    "an id in pieces": (identified("cafe\u0301"), "TR-NAME", True),
    "an id with nothing in it": (identified("sh\u200bop"), "TR-NAME", True),
    "an id from right to left": (identified("shop\u202egro.live"), "TR-NAME", True),
    "an id of two lines": (identified("shop\nother"), "TR-NAME", True),
    "an id with blanks around": (identified(" shop "), "TR-NAME", True),
    "a version without end": (plain(version="1" * 200_000), "TR-NAME", True),
    "a table of a name without end": (plain(schema=[{"name": "x" * 100_000}]), "TR-NAME", True),
    "columns from right to left": (COLUMNS + '      - {name: "a\\u2066b"}\n', "name-form", True),
    "columns within columns": (
        HEAD + "schema: [" + nested("{name: a, properties: [", "]}", 22).replace("1", "{name: a, nam: b}") + "]\n",
        "odcs-unknown-key", True,
    ),
    "lists within lists": (
        COLUMNS + "      - {name: a, items: " + nested("{logicalType: array, items: ", "}", 40) + "}\n",
        "odcs-type", True,
    ),
    "thousands of columns alike": (COLUMNS + pad("      - {name: a}\n"), "name-duplicate", True),
    "thousands of checks of nothing": (TABLE + numbered("          - {id: c%, metric: nothing}\n"), "odcs-value", True),
    "thousands of checks alike": (
        TABLE + pad("          - {id: c, metric: nullValues, mustBe: 0}\n"), "id-duplicate", True,
    ),
    "thousands of conditions of nothing": (
        TABLE + numbered(
            "          - {id: c%, type: custom, engine: treaty, implementation: {analyzer: size, where: b > 1}}\n"
        ), "predicate-column", True,
    ),
    "thousands of views": (
        TERMS + "      views:\n" + numbered("        - {name: v%, where: sleep(9)}\n"), "predicate-function", True,
    ),
    "thousands of aliases of nothing": (
        TERMS + "      aliases:\n" + numbered("        - {object: a, namespace: b, name: c%}\n"), "terms-object", True,
    ),
    "brackets within a condition": (check(f'where: "{"(" * 4000}1{")" * 4000} > 0"'), "predicate-length", True),
    "a condition without end": (check(f'where: "{"amount > 0 AND " * 15_000}amount > 0"'), "predicate-length", True),
    "a second statement": (check(f'where: "amount > 0; drop table {SECRET}"'), "predicate-statement", True),
    "a comment that hides the rest": (check('where: "amount > 0 -- and more"'), "predicate-comment", True),
    "another table": (check("where: \"amount > (select 1 from text.`/etc/passwd`)\""), "predicate-construct", True),
    "the machine": (check(f"where: \"reflect('java.lang.System', '{SECRET}') = 1\""), "predicate-function", True),
    "the environment": (check("where: \"amount > '${env:HOME}'\""), "predicate-variable", True),
    "the environment in a query": (
        check('query: "SELECT ${env:HOME}"').replace("analyzer: mean", "analyzer: sql"),
        "TR-CHECK-ARGUMENT", True,
    ),
    "a bomb of a function": (check("where: \"length(repeat('x', 1000000000)) > 0\""), "predicate-argument", True),
    "a regular expression that runs away": (check("where: \"amount rlike '(a+)+$'\""), "predicate-regex", True),
    "a regular expression that runs away slowly": (
        check("where: \"amount rlike '\\\\\\\\w*\\\\\\\\w*\\\\\\\\w*@'\""), "predicate-regex", True,
    ),
    "a secret where a number stands": (check(f"mustBeLessThan: {{a: {SECRET}}}"), "check-limit", True),
    "a secret for a word": (COLUMNS + f"      - {{name: a, logicalType: {SECRET}}}\n", "odcs-value", True),
    "a secret for a truth": (COLUMNS + f"      - {{name: a, required: {SECRET}}}\n", "odcs-type", True),
    "a secret in the terms": (TERMS + f"      aliases: {SECRET}\n", "terms-form", True),
    "a secret for a server's kind": (HEAD + f"servers:\n  - {{server: a, type: {SECRET}}}\n", "odcs-value", True),
}  # fmt: skip

# name: (body, media type, status)
JSON, PARTS = "application/json", "multipart/form-data; boundary=x"
REQUESTS: dict[str, tuple[bytes, str, int]] = {
    "nothing": (b"", JSON, 422),
    "no JSON": (b"{", JSON, 422),
    "a list": (b"[]", JSON, 422),
    "a number": (b"1", JSON, 422),
    "lists within lists": (b"[" * 100_000, JSON, 400),
    "mappings within mappings": (b'{"document":' * 100_000, JSON, 400),
    "a number without end": (b'{"document":' + b"9" * 200_000 + b"}", JSON, 400),
    "no number": (b'{"document": NaN}', JSON, 422),
    "no text": (b'{"document": null}', JSON, 422),
    "half a character": (b'{"document": "\\ud800"}', JSON, 422),
    "half a character in the title": (json.dumps({"document": plain(), "title": "\ud800"}).encode(), JSON, 422),
    "half a character in the comment": (json.dumps({"document": plain(), "comment": "\udfff"}).encode(), JSON, 422),
    "a NUL in the comment": (json.dumps({"document": plain(), "comment": "\x00"}).encode(), JSON, 422),
    "another encoding": ('{"document": "é"}'.encode("latin-1"), JSON, 400),
    "packed": (b"\x1f\x8b\x08\x00" + b"\x00" * 100, JSON, 400),
    "an unknown word": (json.dumps({"document": plain(), "other": SECRET}).encode(), JSON, 422),
    "a document that is data": (json.dumps({"document": {"id": SECRET}}).encode(), JSON, 422),
    "a document that is too long": (json.dumps({"document": "a" * (LIMIT + 1)}).encode(), JSON, 422),
    "a document of long characters": (json.dumps({"document": "id: " + "é" * (LIMIT - 10)}).encode(), JSON, 422),
    "a title without end": (json.dumps({"document": plain(), "title": "x" * 200_000}).encode(), JSON, 422),
    "more than is taken": (b'{"document": "' + b"x" * (3 * KIB * KIB) + b'"}', JSON, 413),
    "blanks without end": (b" " * (3 * KIB * KIB), JSON, 413),
    "a key twice": (b'{"document": "a", "document": "b"}', JSON, 422),
    "a number beyond all": (b'{"document": 1e999}', JSON, 422),
    "many values": (b'{"document": [' + b"[]," * 600_000 + b"[]]}", JSON, 400),
    "several parts": (b'--x\r\nContent-Disposition: form-data; name="document"\r\n\r\na\r\n--x--', PARTS, 415),
    "parts without end": (b"--x\r\n" * 1000, PARTS, 415),
    "a form": (b"document=a", "application/x-www-form-urlencoded", 415),
    "a text": (plain().encode(), "text/yaml", 415),
}  # fmt: skip


@dataclass(frozen=True)
class Sent:
    """What came of a request: its status, the answer, seconds of the processor, bytes of memory beyond those before."""

    status: int
    answer: str
    seconds: float
    memory: int


def bodies() -> dict[str, tuple[bytes, str]]:
    """Every request that is sent: body and media type."""
    texts = {f"document: {name}": text for name, (text, *_) in DOCUMENTS.items()}
    texts |= {f"known: {name}": text for name, (text, *_) in HOSTILE.items() if isinstance(text, str) and text}
    documents = {name: (json.dumps({"document": text}).encode(), JSON) for name, text in texts.items()}
    return documents | {f"request: {name}": (body, kind) for name, (body, kind, _) in REQUESTS.items()}


def sent(call: Callable[..., Any], secrets: Mapping[str, str]) -> dict[str, Sent]:
    """What comes of all of them."""
    headers = {"Authorization": f"Bearer {secrets['producer']}"}
    found = {}
    for name, (body, kind) in bodies().items():
        before, began = _peak(), time.process_time()
        answer = call("/api/v1/proposals", content=body, headers={**headers, "Content-Type": kind})
        found[name] = Sent(answer.status_code, answer.text, time.process_time() - began, _peak() - before)
    return found


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB


def main() -> None:
    """Sends all to a service of its own, and writes what came of them to the file named."""
    from support.api import build
    from support.databases import sqlite_copy, sqlite_template

    with TemporaryDirectory() as folder:
        engine = sqlite_copy(sqlite_template(Path(folder)), Path(folder))
        world = build(engine)
        # What is loaded with the first document is no document's.
        world.client("producer").propose(plain(id="first"))
        found = sent(world.http.post, world.secrets)
        engine.dispose()
    Path(sys.argv[1]).write_text(json.dumps({name: vars(each) for name, each in found.items()}))


if __name__ == "__main__":
    main()
