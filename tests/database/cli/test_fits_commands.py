"""`treaty fits`: the limits that programs learned after they were approved."""

import pytest
from support.api import World, document
from support.fits import fit

from treaty.registry.cli.main import _code
from treaty.registry.core.database import transaction


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            [],
            [
                "amount 1,010 to 1,500 30 partitions to day=30 0 of 16 f1 yes",
                "rows 1,010 to any 30 partitions to day=30 1 of 16 f1 no: outside version 1.0.0",
            ],
        ),
        (["--check", "other"], ["No fits: programs use their approved limits"]),
    ],
)
def test_fits_are_listed_with_what_they_rest_on(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], said: list[str]
) -> None:
    proposal = world.client("producer").propose(document())
    owner = world.client("owner")
    owner.approve(proposal.id, owner.preview(proposal.id).fingerprint)
    with transaction(world.engine) as tx:
        tx.add(fit("shop-orders", "amount"))
        tx.add(fit("shop-orders", "rows", upper=None, is_active=False, backtest_alarms=["day=20"]))
        tx.commit()
    monkeypatch.setenv("TREATY_TOKEN", world.secrets["viewer"])
    monkeypatch.setattr("httpx.Client", lambda **_: world.http)
    assert _code(["fits", "shop-orders.orders", *words]) == 0
    told = " ".join("".join(capsys.readouterr()).split())
    assert [each for each in said if each not in told] == []
