"""Queries: what is admitted is written anew, over the table itself; all else is refused, with every fault's code."""

import pickle
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.every import every
from support.orders import check, contract, judged

from treaty.contracts.queries.parser import QueryError, SqlQuery, parse
from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.queries import Sql
from treaty.engine.checks.binding import bind

SCHEMA = Schema((
    Column("id", "bigint"), Column("amount", "double"), Column("status", "string"), Column("day", "date"),
    Column("a.b", "int"), Column("deep", "struct<x:int>"),
))  # fmt: skip


def read(text: str) -> SqlQuery:
    return parse(text, tables=["orders", "lake.sales.orders"], column="amount", schema=SCHEMA)


WRITTEN = {
    "SELECT COUNT(*) FROM {object}": "SELECT count(1) AS `c0` FROM {rows} AS `s`",
    "select count(*) from ${table} where ${column} is null;": (
        "SELECT count(1) AS `c0` FROM {rows} AS `s` WHERE `amount` IS NULL"
    ),
    "select max(o.id) AS top from lake.sales.orders o": "SELECT max(`id`) AS `top` FROM {rows} AS `o`",
    "select count(distinct id, status) from Orders": "SELECT count(DISTINCT `id`, `status`) AS `c0` FROM {rows} AS `s`",
    "select sum(amount) filter (where status = '{x}') from orders": (
        "SELECT sum(`amount`) FILTER (WHERE `status` = '{{x}}') AS `c0` FROM {rows} AS `s`"
    ),
    "select min(`a.b`) + max(deep.x) from orders": (
        "SELECT try_add(min(`a.b`), max(`deep`.`x`)) AS `c0` FROM {rows} AS `s`"
    ),
    "select count(*) from (select status, count(*) as n from orders group by status having count(*) > 1) d": (
        "SELECT count(1) AS `c0` FROM (SELECT `status` AS `status`, count(1) AS `n` FROM {rows} AS `s` "
        "GROUP BY `status` HAVING count(1) > 1) AS `d`"
    ),
    "select count(*) from (select upper(status) u, sum(id) as n from orders group by u having n > 1) d": (
        "SELECT count(1) AS `c0` FROM (SELECT upper(`status`) AS `u`, sum(`id`) AS `n` FROM {rows} AS `s` "
        "GROUP BY `u` HAVING `n` > 1) AS `d`"
    ),
    "select count(*) from (select * from orders where id > 1) d where d.amount > 0": (
        "SELECT count(1) AS `c0` FROM (SELECT * FROM {rows} AS `s` WHERE `id` > 1) AS `d` WHERE `amount` > 0"
    ),
    "select (select count(*) from orders) - (select count(distinct id) from orders)": (
        "SELECT try_subtract((SELECT count(1) AS `c0` FROM {rows} AS `s`), "
        "(SELECT count(DISTINCT `id`) AS `c0` FROM {rows} AS `s`)) AS `c0`"
    ),
    "select count(*) from orders where id not in (select max(id) from orders)": (
        "SELECT count(1) AS `c0` FROM {rows} AS `s` WHERE NOT ((`id`) IN (SELECT max(`id`) AS `c0` FROM {rows} AS `s`))"
    ),
}


@pytest.mark.parametrize("text", WRITTEN)
def test_a_query_is_written_anew(text: str) -> None:
    assert " ".join(read(text).sql.split()) == WRITTEN[text]


def test_the_columns_are_told_in_order_of_use() -> None:
    found = read("select sum(case when status = 'x' then amount end) / count(deep.x) from orders where day is not null")
    assert set(found.columns) == {"status", "amount", "deep.x", "day"}


HOSTILE = {
    "": "query-empty",
    "amount > 0": "query-statement",
    "select": "query-columns",
    "drop table orders": "query-statement query-syntax",
    "delete from orders": "query-statement query-syntax",
    "insert into orders select * from orders": "query-statement query-syntax",
    "create table x as select count(*) from orders": "query-statement query-syntax",
    "set spark.sql.ansi.enabled = false": "query-statement query-syntax",
    "select count(*) from orders; drop table orders": "query-statement",
    "select count(*) from orders -- and more": "query-comment",
    "select /*+ BROADCAST(orders) */ count(*) from orders": "query-comment query-clause",
    "select count(*) from customers": "query-table",
    "select count(*) from other.orders": "query-table",
    "select count(*) from `own table`": "query-table",
    "select count(*) from parquet.`/etc/passwd`": "query-table",
    "select count(*) from text.`/etc/shadow`": "query-table",
    "select count(*) from `/etc/passwd`": "query-table",
    "select count(*) from global_temp.secrets": "query-table",
    "select count(*) from range(1000000000)": "query-table",
    "select count(*) from read_files('/etc')": "query-table",
    "select count(*) from values (1), (2) as t(a)": "query-table query-syntax",
    "select count(*) from identifier('customers')": "query-table",
    "select count(*) from orders, customers": "query-clause",
    "select count(*) from orders cross join orders": "query-clause",
    "select count(*) from orders a join orders b on a.id = b.id": "query-clause",
    "select count(*) from orders natural join customers": "query-clause",
    "select count(*) from orders where id in (select id from customers)": "query-table",
    "select count(*) from orders where exists (select 1 from orders)": "query-construct",
    "select (select max(secret) from customers) from orders": "query-table",
    "select (select count(*) from orders o2 where o2.id = o.id) from orders o": "query-column",
    "with x as (select 1) select count(*) from x": "query-clause",
    "with orders as (select * from customers) select count(*) from orders": "query-clause",
    "select count(*) from orders union select 1": "query-statement",
    "select count(*) from (select id from orders union all select id from customers) d": "query-table",
    "select count(*) from orders lateral view explode(array(1, 2)) t as x": "query-clause",
    "select explode(array(id)) from orders": "query-function query-rows",
    "select max(id) over (partition by status) from orders": "query-construct",
    "select count(*) from orders tablesample (1 rows)": "query-table",
    "select count(*) from orders version as of 1": "query-table query-syntax",
    "select count(*) from orders order by 1": "query-clause",
    "select count(*) from orders limit 1": "query-clause",
    "select count(*) from orders group by status": "query-rows",
    "select count(*) from orders having count(*) > 1": "query-rows",
    "select count(*) from (select count(*) from orders group by all) d": "query-group",
    "select count(*) from (select status from orders group by rollup(status)) d": "query-construct query-group",
    "select count(*) from (select status from orders group by 1) d": "query-group",
    "select id from orders": "query-rows",
    "select distinct id from orders": "query-rows",
    "select * from orders": "query-columns",
    "select count(*), max(id) from orders": "query-columns",
    "select 1": "query-rows",
    "select count(secret) from orders": "query-column",
    "select count(o.id) from orders x": "query-column",
    "select count(n) from (select count(*) as m from orders) d": "query-column",
    "select count(id) from (select status from orders) d": "query-column",
    "select sum(reflect('java.lang.System', 'exit', 1)) from orders": "query-function",
    "select max(java_method('java.lang.System', 'getenv', 'SECRET')) from orders": "query-function",
    "select max(raise_error(status)) from orders": "query-function",
    "select max(input_file_name()) from orders": "query-function",
    "select max(current_user()) from orders": "query-function",
    "select sum(rand()) from orders": "query-function",
    "select max(repeat(status, 100000000)) from orders": "query-argument",
    "select max(sequence(0, 100000000)) from orders": "query-function",
    "select collect_list(status) from orders": "query-function query-rows",
    "select max_by(status, id) from orders": "query-function query-rows",
    "select count(*) from orders where count(*) > 1": "query-aggregate",
    "select count(*) from orders where sum(amount) over () > 1": "query-construct",
    "select sum(sum(amount)) from orders": "query-aggregate",
    "select sum(amount, id) from orders": "query-arguments",
    "select sum() from orders": "query-arguments",
    "select count_if(amount) from orders": "query-not-boolean",
    "select count(*) from orders where status": "query-not-boolean",
    "select count(*) from orders where status rlike '(a+)+$'": "query-regex",
    "select count(*) from orders where status = '${env:SECRET}'": "query-variable",
    "select count(*) from ${env:SECRET}": "query-variable",
    "select count(*) from {customers}": "query-placeholder",
    "select count(*) from {object} where {anything} > 1": "query-placeholder",
    "select count(*) from orders where id = ?": "query-construct",
    "select count(*) from orders where id = :id": "query-construct",
    "select count(*) from orders where id = @@x": "query-construct query-syntax",
    "select transform(id) using 'rm -rf /' from orders": "query-syntax query-clause query-function",
    "select count(*) from orders where id in (select id, amount from orders)": "query-columns",
    "select count(*) from (select * from (select * from (select * from orders) a) b) c": "query-size",
    "select " + " + ".join(["(select count(*) from orders)"] * 12): "query-size",
    "select count(*) from orders where " + "(" * 60 + "id > 1" + ")" * 60: "query-depth",
    "select count(*) from orders where status = 'a\u202eb'": "query-character",
    "select count(*) from orders where " + " or ".join(["id > 1"] * 900): "query-length query-size",
}


@every("text", HOSTILE)
def test_what_is_not_admitted_is_refused_by_its_code(text: str) -> None:
    with pytest.raises(QueryError) as refused:
        read(text)
    assert {fault.code for fault in refused.value.faults} & set(HOSTILE[text].split())
    assert all(fault.code.startswith("query-") and fault.message for fault in refused.value.faults)


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(QueryError) as refused:
        read("select max(nothing), reflect('a') from customers where count(*) > 1 order by 1")
    codes = {fault.code for fault in refused.value.faults}
    assert codes >= {
        "query-columns",
        "query-table",
        "query-column",
        "query-function",
        "query-aggregate",
        "query-clause",
    }


def test_faults_travel_between_processes() -> None:
    with pytest.raises(QueryError) as refused:
        read("select id from customers")
    assert pickle.loads(pickle.dumps(refused.value)).faults == refused.value.faults


def test_a_placeholder_of_a_property_needs_one() -> None:
    with pytest.raises(QueryError, match="query-property"):
        parse("select count({property}) from {object}")
    assert "`a.b`" in parse("select count({property}) from {object}", column="`a.b`").sql


def test_a_text_that_looks_like_what_stands_for_a_part_stays_a_text() -> None:
    made = read("select count(*) from orders where status = '`own table part 0` FROM `own table` AS `s` {rows}'").sql
    assert made.endswith("WHERE `status` = '`own table part 0` FROM `own table` AS `s` {{rows}}'")
    assert made.format(rows="R").count("R AS") == 1


def test_a_text_that_writes_the_name_of_the_table_by_an_escape_stays_a_text() -> None:
    made = read("select count(*) from orders where status = 'FROM `own\\u0020table` AS s'").sql
    assert made.endswith("WHERE `status` = 'FROM `own table` AS s'")
    assert made.format(rows="R").count("R AS") == 1


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_within_a_query_is_a_text_or_refused(text: str) -> None:
    quoted = text.replace("\\", "\\\\").replace("'", "\\'")
    try:
        made = read(f"select count(*) from orders where status = '{quoted}'").sql
    except QueryError:
        return
    assert made.format(rows="R").startswith("SELECT count(1) AS `c0` FROM R AS `s` WHERE `status` = '")


@settings(deadline=None)
@given(st.text(alphabet="select count(*) from orders{}$`'\".,;1_<>=()\n", max_size=80))
def test_no_text_raises_anything_but_faults(text: str) -> None:
    with suppress(QueryError):
        assert read(text).sql.startswith("SELECT ")


def test_a_check_of_the_standards_type_sql_is_bound_to_its_table() -> None:
    entry = {"id": "c", "type": "sql", "query": "select count(*) from orders where amount < 0", "mustBe": 0}
    (bound,) = bind(contract(entry).object("orders"), SCHEMA).checks
    assert isinstance(bound.analyzer, Sql)
    assert (bound.reason, bound.scope, bound.column) == (None, "delta", None)
    assert bound.sentence == "the result of select count(*) from orders where amount < 0 must be 0"


def test_a_check_of_treatys_own_is_a_fault_where_its_query_is_none() -> None:
    with pytest.raises(Exception, match="query-clause"):
        bind(contract(check("sql", query="select count(*) from orders limit 3", mustBe=0)).object("orders"), SCHEMA)


def test_a_check_without_a_promise_is_not_judged() -> None:
    found = judged(contract({"id": "c", "type": "sql", "query": "select count(*) from customers", "mustBe": 0}))
    assert (found.outcome, "which is not the contract's own" in str(found.reason)) == ("not_evaluated", True)
