"""Texts that are exchanged with other tools: hostile words for pages, a dbt file, schemas of Spark."""

from typing import Any

from support.contract_texts import ORDERS
from support.orders import check
from support.versions import document

from treaty.contracts.document.writer import write

HOSTILE = (
    "<script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<svg/onload=alert(1)>",
    "javascript:alert(1)",
    "[click](javascript:alert(1))",
    "![x](https://example.org/x.png)",
    "<https://example.org>",
    "https://example.org/tracked",
    "a | b | c",
    "| --- | --- |",
    "`code` **bold** _x_ ~~y~~",
    "# heading\n\n- item\n\n    code",
    "&lt;script&gt;",
    "{{ env_var('SECRET') }}",
    "{% set x = 1 %}",
    "{# comment #}",
    "--><!--",
    "]]>",
    "\u202egnp.exe",
    "a\x07b",
)
ODD = (
    '{"apiVersion": "v3.1.0", "kind": "DataContract", "id": "a", "version": "1.0.0", "status": "draft"}',
    "apiVersion: v3.1.0\r\nkind: DataContract\r\nid: ä\r\nversion: 1.0.0\r\nstatus: draft # yes\r\n",
    "\ufeffapiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: 1.0.0\nstatus: draft",
    "---\n  apiVersion: v3.1.0\n  kind: DataContract\n  id: \U0001f600\n  version: 1.0.0\n  status: 'draft'\n...\n",
    "status: |-\n  draft\napiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: 1.0.0\n",
    "apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: 1.0.0\nstatus: draft\ncustomProperties: []\n",
    "apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: 1.0.0\nstatus: draft\ncustomProperties:\n"
    "- property: own\n  value: 1\n",
    "apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: 1.0.0\nstatus: draft\ncustomProperties:\n"
    "  # first\n  - {property: own, value: 1}\n",
    "apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: 1.0.0\nstatus: draft\ncustomProperties: [\n"
    "  {property: own, value: 1}]\n",
    '? apiVersion\n: v3.1.0\n? kind\n: DataContract\n? id\n: a\n? version\n: 1.0.0\n? "status"\n: draft\n',
    ORDERS,
)
DBT = """\
version: 2
sources:
  - name: raw
    tables:
      - name: events
        columns: [{name: id, data_type: number(38)}]
models:
  - name: orders
    description: "{{ doc('orders') }}"
    constraints:
      - {type: primary_key, columns: [id]}
      - {type: check, expression: "amount > 0"}
      - {type: foreign_key, expression: "shops (id)"}
    data_tests:
      - dbt_utils.unique_combination_of_columns: {combination_of_columns: [id, day]}
      - dbt_expectations.expect_table_row_count_to_be_between: {min_value: 1}
    columns:
      - {name: id, data_type: BIGINT, description: the number, tests: [not_null, unique]}
      - {name: day, data_type: date, constraints: [{type: not_null}]}
      - {name: amount, data_type: "NUMERIC(10, 2)"}
      - name: status
        data_type: string
        data_tests:
          - accepted_values:
              arguments: {values: [new, paid]}
              config: {where: "day > DATE '2020-01-01'", severity: warn}
          - accepted_values: {values: ["1", 2], quote: false}
          - relationships: {to: ref('states'), field: id}
          - relationships: {to: "source('raw', 'states')", field: id}
          - not_null: {config: {severity: warn}}
          - unique: {config: {limit: 10}}
          - unique: {where: "unheard_of(day)"}
          - my_test
"""
DDL = """\
CREATE TABLE IF NOT EXISTS shop.orders (
  id BIGINT NOT NULL COMMENT 'the ''first'' column', -- kept
  amount DECIMAL(10, 2), lines ARRAY<STRUCT<item: INT, more: MAP<STRING, LONG>>>,
  `ship.to` STRING, day DATE)
USING parquet PARTITIONED BY (day) COMMENT 'orders'
"""
JSON = """\
{"type": "struct", "fields": [
  {"name": "id", "type": "long", "nullable": false, "metadata": {"comment": "the first column"}},
  {"name": "lines", "nullable": true, "metadata": {}, "type": {"type": "array", "containsNull": true, "elementType":
    {"type": "struct", "fields": [{"name": "item", "type": "decimal(10,2)", "nullable": true, "metadata": {}}]}}},
  {"name": "more", "nullable": true, "metadata": {}, "type":
    {"type": "map", "keyType": "string", "valueType": "integer", "valueContainsNull": true}}]}
"""


def hostile(word: str) -> bytes:
    """A contract that says the word wherever a document may say anything."""
    checks: list[dict[str, Any]] = [
        {**check("size", mustBeGreaterThan=0), "id": "size", "name": word, "description": word},
        {"id": "read", "name": word, "type": "text", "description": word},
        {"id": "soda", "name": word, "type": "custom", "engine": word, "implementation": word},
    ]
    content = dict(document(*checks, name=word, tags=[word], description={"purpose": word}, domain=word))
    table = content["schema"][0]
    table["description"] = word
    table["properties"][0] |= {"description": word, "classification": word, "physicalType": word}
    return write(content)
