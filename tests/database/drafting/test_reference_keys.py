"""Keys that drafts may refer to: of datasets whose contracts their author may read."""

from pathlib import Path

import pytest
from sqlalchemy import Engine
from support.scenes import LOCATION, NOON, add, document, next_version, orders

from treaty.engine.protocol.requests import ReferableKey, TableSource
from treaty.registry.core import ids
from treaty.registry.core.database import read_session
from treaty.registry.drafting import reference_keys
from treaty.registry.tables import UserRow

NAME = b"      - name: id\n"
UNIQUE = b"        unique: true\n"
PRIMARY = b"        primaryKey: true\n"
SECRET = b"        classification: restricted\n"
KEY = (ReferableKey("orders", TableSource(LOCATION), "id"),)


@pytest.mark.parametrize(
    ("put", "keys"), [(b"", ()), (UNIQUE, KEY), (PRIMARY, KEY), (UNIQUE + SECRET, ())], ids=["no", "one", "main", "pii"]
)
@pytest.mark.parametrize(("role", "contract", "known"), [
    ("viewer", "items", True), (None, "items", False), ("viewer", "orders", False),
])  # fmt: skip
def test_keys_are_those_of_others_that_the_author_may_read(
    engine: Engine,
    tmp_path: Path,
    put: bytes,
    keys: tuple[ReferableKey, ...],
    role: str | None,
    contract: str,
    known: bool,
) -> None:
    orders(engine, tmp_path)
    next_version(engine, "2.0.0", document("2.0.0").replace(NAME, NAME + put))
    ann = UserRow(id=ids.new(), name="ann", roles=[role] if role else [], created_at=NOON)
    add(engine, ann)
    with read_session(engine) as tx:
        assert reference_keys.keys(tx, {"contract_id": contract, "author": str(ann.id)}) == (keys if known else ())


def test_a_draft_that_nobody_asked_for_is_its_owners(engine: Engine, tmp_path: Path) -> None:
    orders(engine, tmp_path)
    with read_session(engine) as tx:
        assert reference_keys.keys(tx, {"contract_id": "orders"}) == ()
        assert reference_keys.keys(tx, {"contract_id": "unknown"}) == ()
