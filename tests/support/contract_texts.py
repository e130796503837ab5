"""Contract documents for tests: one that uses much of the standard, and forty and more that are refused."""

ORDERS = """\
apiVersion: v3.1.0
kind: DataContract
id: shop-orders
name: orders of the shop
version: 1.2.0
status: active
tags: [shop]
description:
  purpose: "What customers ordered"  # kept as written
servers:
  - server: lake
    type: custom
    customProperties:
      - property: namespace
        value: file
schema:
  - name: orders
    physicalName: lake/orders
    physicalType: table
    quality:
      - id: enough-rows
        metric: rowCount
        mustBeGreaterThan: 100
      - id: unique-lines
        metric: duplicateValues
        arguments: {properties: [order_id, line]}
        mustBe: 0
        severity: warning
      - type: text
        description: One row is one order line.
      - id: german-share
        type: custom
        engine: treaty
        dimension: consistency
        severity: info
        implementation:
          analyzer: compliance
          predicate: country = 'DE'
          where: "status <> 'test' AND `ship.to` IS NOT NULL AND address.city LIKE 'B%'"
          scope: delta
          mustBeBetween: [0.2, 0.6]
    properties:
      - name: order_id
        logicalType: integer
        physicalType: bigint
        required: true
        primaryKey: true
        primaryKeyPosition: 1
      - name: line
        logicalType: integer
        primaryKey: true
        primaryKeyPosition: 2
      - name: status
        logicalType: string
        quality:
          - id: known-status
            metric: invalidValues
            arguments: {validValues: [new, paid, on, yes]}
            unit: percent
            mustBeLessOrEqualTo: 1
          - type: custom
            engine: treaty
            implementation: {analyzer: approx_count_distinct, mustBeLessOrEqualTo: 12}
          - id: by-hand
            type: sql
            query: SELECT count(*) FROM {object}
            mustBe: 0
          - id: elsewhere
            type: custom
            engine: soda
            implementation: checks.yaml
      - name: country
        logicalType: string
      - name: ship.to
        logicalType: string
      - name: day
        logicalType: date
        partitioned: true
        partitionKeyPosition: 1
      - name: address
        logicalType: object
        properties:
          - name: city
            logicalType: string
            quality:
              - id: city-known
                type: custom
                engine: treaty
                implementation: {analyzer: completeness, mustBeGreaterOrEqualTo: 0.9}
      - name: tags
        logicalType: array
        items:
          logicalType: object
          properties:
            - name: label
              logicalType: string
customProperties:
  - property: treaty
    value:
      aliases:
        - {object: orders, namespace: "s3://lake", name: orders}
"""

HEAD = """\
apiVersion: v3.1.0
kind: DataContract
id: shop
version: 1.0.0
status: draft
"""
TABLE = (
    HEAD
    + """\
schema:
  - name: orders
    properties:
      - name: amount
        logicalType: number
        quality:
"""
)
TREATY = (
    TABLE
    + """\
          - id: c
            type: custom
            engine: treaty
            implementation:
              analyzer: mean
"""
)
TERMS = HEAD + "customProperties:\n  - property: treaty\n    value:\n"
COLUMNS = HEAD + "schema:\n  - name: orders\n    properties:\n"


def check(line: str) -> str:
    """A document whose treaty check has one more line in its implementation, line 17."""
    return f"{TREATY}              {line}\n"


# name: (document, code of a fault that it has, line of that fault)
HOSTILE: dict[str, tuple[str | bytes, str, int | None]] = {
    "nothing": ("", "yaml-root", None),
    "a list": ("- a\n", "yaml-root", 1),
    "too long": ("a: " + "x" * (256 * 1024), "text-size", None),
    "latin 1": (b"id: caf\xe9\n", "text-encoding", 1),
    "utf 16": ("id: a".encode("utf-16"), "text-encoding", 1),
    "a control character": ("id: \x07\n", "yaml-syntax", None),
    "no YAML": ("id: [1\n", "yaml-syntax", 2),
    "a tab": ("id:\n\t- a\n", "yaml-syntax", 2),
    "two documents": (HEAD + "---\nid: b\n", "yaml-documents", 6),
    "an anchor": (HEAD + "name: &x a\n", "yaml-anchor", 6),
    "an alias": (HEAD + "name: *x\n", "yaml-alias", 6),
    "a billion laughs": ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "yaml-alias", 2),
    "a merge key": (HEAD + "team:\n  <<: {name: a}\n", "yaml-merge-key", 7),
    "a tag": (HEAD + "name: !!str 5\n", "yaml-tag", 6),
    "a Python object": (HEAD + "name: !!python/object/apply:os.system [ls]\n", "yaml-tag", 6),
    "a key twice": (HEAD + "id: other\n", "yaml-duplicate-key", 6),
    "a nested key twice": (TABLE + "          - {id: a, id: b}\n", "yaml-duplicate-key", 12),
    "a number as key": (HEAD + "1: a\n", "yaml-key-type", 6),
    "a list as key": (HEAD + "? [a]\n: b\n", "yaml-key-type", 6),
    "null as key": (HEAD + "~: b\n", "yaml-key-type", 6),
    "not a number": (check("mustBe: .nan"), "yaml-number", 17),
    "infinity": (check("mustBe: -.inf"), "yaml-number", 17),
    "infinity by size": (check("mustBe: 1e999"), "yaml-number", 17),
    "a number of many digits": (check("mustBe: " + "9" * 5000), "yaml-number", 17),
    "open brackets": ("[" * 100_000, "yaml-depth", 1),
    "dashes": ("- " * 100_000, "yaml-depth", 1),
    "nested too deep": ("a: " + "{a: " * 60 + "1" + "}" * 60, "yaml-depth", 1),
    "an old version": (HEAD.replace("v3.1.0", "v2.2.2"), "odcs-version", 1),
    "a mapping as version": (HEAD.replace("v3.1.0", "{a: b}"), "odcs-version", 1),
    "no version": (HEAD.replace("apiVersion: v3.1.0\n", ""), "odcs-missing-key", 1),
    "no id": (HEAD.replace("id: shop\n", ""), "odcs-missing-key", 1),
    "no status in 3.1": (HEAD.replace("status: draft\n", ""), "odcs-missing-key", 1),
    "a number as contract version": (HEAD.replace("1.0.0", "1.0"), "odcs-type", 4),
    "another kind": (HEAD.replace("DataContract", "Contract"), "odcs-value", 2),
    "an unknown key": (HEAD + "ownr: me\n", "odcs-unknown-key", 6),
    "an unknown nested key": (TABLE + "          - {id: c, metrc: rowCount}\n", "odcs-unknown-key", 12),
    "an unknown key of a server": (HEAD + "servers:\n  - {server: a, type: custom, hst: b}\n", "odcs-unknown-key", 7),
    "a key of the wrong server type": (
        HEAD + "servers:\n  - {server: a, type: local, path: b, format: c, host: d}\n",
        "odcs-unexpected-key",
        7,
    ),
    "a word of 3.2 in 3.1": (HEAD + "context: help\n", "odcs-unknown-key", 6),
    "an unknown logical type": (COLUMNS + "      - {name: a, logicalType: int}\n", "odcs-value", 9),
    "text for a truth": (COLUMNS + '      - {name: a, required: "true"}\n', "odcs-type", 9),
    "YAML 1.1's yes": (COLUMNS + "      - {name: a, required: yes}\n", "odcs-type", 9),
    "schema as a mapping": (HEAD + "schema: {}\n", "odcs-type", 6),
    "an id with a blank": (COLUMNS + "      - {name: a, id: a b}\n", "odcs-pattern", 9),
    "a column without a name": (COLUMNS + "      - {logicalType: string}\n", "odcs-missing-key", 9),
    "an unknown metric": (TABLE + "          - {id: c, metric: nulls, mustBe: 0}\n", "odcs-value", 12),
    "neither metric nor type": (TABLE + "          - {id: c}\n", "check-metric", 12),
    "an operator beside a custom check": (TREATY + "            mustBe: 3\n", "odcs-unexpected-key", 17),
    "a library check without operator": (TABLE + "          - {id: c, metric: nullValues}\n", "check-operator", 12),
    "two operators of the library": (
        TABLE + "          - {id: c, metric: nullValues, mustBe: 0, mustBeLessThan: 3}\n",
        "check-operator",
        12,
    ),
    "a limit that is text in the library": (
        TABLE + "          - {id: c, metric: nullValues, mustBeLessThan: few}\n",
        "odcs-type",
        12,
    ),
    "library limits in the wrong order": (
        TABLE + "          - {id: c, metric: nullValues, mustBeBetween: [9, 1]}\n",
        "check-limit-order",
        12,
    ),
    "two operators": (check("mustBe: 1\n              mustNotBe: 2"), "check-operator", 15),
    "limits in the wrong order": (check("mustBeBetween: [2, 1]"), "check-limit-order", 17),
    "limits of two kinds": (check("mustBeBetween: [1, b]"), "check-limit", 17),
    "one limit of two": (check("mustNotBeBetween: [1]"), "check-limit", 17),
    "a mapping as limit": (check("mustBeLessThan: {dataset: a}"), "check-limit", 17),
    "null as limit": (check("mustBe: ~"), "check-limit", 17),
    "a truth in an order": (check("mustBeLessThan: true"), "check-limit", 17),
    "a list as scope": (check("scope: [delta]"), "check-scope", 17),
    "a number as predicate": (check("where: 5"), "check-where", 17),
    "a predicate of an unknown column": (check("where: amout > 1"), "predicate-column", 17),
    "a predicate that reads files": (
        check('where: "amount > (select max(value) from text.`/etc/passwd`)"'),
        "predicate-construct",
        17,
    ),
    "no analyzer": (TREATY.replace("analyzer: mean", "column: amount"), "check-analyzer", 15),
    "an implementation that is text": (
        TREATY.replace("implementation:\n              analyzer: mean", "implementation: mean"),
        "check-implementation",
        15,
    ),
    "an id twice": (
        TABLE + "          - {id: c, metric: nullValues, mustBe: 0}\n" * 2,
        "id-duplicate",
        13,
    ),
    "a check id twice in a table": (
        TABLE
        + "          - {id: c, metric: nullValues, mustBe: 0}\n"
        + "      - name: b\n        quality:\n          - {id: c, metric: nullValues, mustBe: 0}\n",
        "id-duplicate",
        15,
    ),
    "a column twice": (COLUMNS + "      - {name: a}\n      - {name: a}\n", "name-duplicate", 10),
    "a column twice in two Unicode forms": (
        COLUMNS + "      - {name: caf\u00e9}\n      - {name: cafe\u0301}\n",
        "name-duplicate",
        10,
    ),
    "columns that differ in case": (COLUMNS + "      - {name: Id}\n      - {name: id}\n", "name-case", 10),
    "an unprintable name": (COLUMNS + '      - {name: "a\\u202eb"}\n', "name-form", 9),
    "a blank name": (COLUMNS + '      - {name: " "}\n', "name-form", 9),
    "a table twice": (HEAD + "schema:\n  - name: a\n  - name: a\n", "name-duplicate", 8),
    "unknown terms": (TERMS + "      alias: []\n", "terms-unknown", 9),
    "terms of the wrong form": (TERMS + "      aliases: a\n", "terms-form", 9),
    "terms that are a list": (TERMS + "      - a\n", "terms-form", 8),
    "an alias without a name": (TERMS + "      aliases: [{object: a, namespace: b}]\n", "terms-missing", 9),
    "an alias of no table": (TERMS + "      aliases: [{object: a, namespace: b, name: c}]\n", "terms-object", 9),
    "an alias that is no safe pattern": (
        HEAD + "schema:\n  - name: a\ncustomProperties:\n  - property: treaty\n    value:\n"
        "      aliases: [{object: a, namespace: b, name: (x+)+, regex: true}]\n",
        "terms-alias",
        11,
    ),
    "lineage terms that nobody knows": (TERMS + "      lineage: {quite: 5}\n", "terms-unknown", 9),
    "a quiet time that is none": (TERMS + "      lineage: {quiet: -1}\n", "terms-form", 9),
    "a failed run that is done something unknown with": (
        TERMS + "      lineage: {on_failed_run: retry}\n",
        "terms-form",
        9,
    ),
    "arrivals of no table": (TERMS + "      arrivals: [a]\n", "terms-object", 9),
    "arrivals of a table with partition columns": (
        HEAD + "schema:\n  - {name: a, properties: [{name: day, partitioned: true}]}\ncustomProperties:\n"
        "  - property: treaty\n    value: {arrivals: [a]}\n",
        "terms-arrivals",
        10,
    ),
    "a computed partition of no table": (
        TERMS + "      partitions: [{object: a, name: day, by: to_date(ts)}]\n",
        "terms-object",
        9,
    ),
    "a computed partition without what it is computed from": (
        TERMS + "      partitions: [{object: a, name: day}]\n",
        "terms-missing",
        9,
    ),
    "a partition that is computed by what is not admitted": (
        HEAD + "schema:\n  - name: a\ncustomProperties:\n  - property: treaty\n    value:\n"
        "      partitions: [{object: a, name: day, by: sleep(9)}]\n",
        "predicate-function",
        11,
    ),
    "a partition that is computed from no column": (
        HEAD + "schema:\n  - name: a\ncustomProperties:\n  - property: treaty\n    value:\n"
        "      partitions: [{object: a, name: day, by: 1 + 1}]\n",
        "predicate-constant",
        11,
    ),
    "a computed partition that is a column": (
        HEAD + "schema:\n  - {name: a, properties: [{name: day}]}\ncustomProperties:\n  - property: treaty\n"
        "    value:\n      partitions: [{object: a, name: day, by: to_date(ts)}]\n",
        "partition-name",
        11,
    ),
    "a view without a condition": (TERMS + "      views: [{name: eu}]\n", "terms-missing", 9),
    "a view that is no predicate": (TERMS + "      views: [{name: eu, where: sleep(9)}]\n", "predicate-function", 9),
    "a view named as a scope": (TERMS + "      views: [{name: delta, where: day > 1}]\n", "view-name", 9),
    "a blank view": (TERMS + "      views: [{name: ' ', where: day > 1}]\n", "view-name", 9),
    "a view twice": (
        TERMS + "      views:\n        - {name: eu, where: day > 1}\n        - {name: eu, where: day > 2}\n",
        "view-name",
        11,
    ),
    "terms twice": (TERMS + "      {}\n  - {property: treaty, value: {}}\n", "terms-twice", 10),
}
