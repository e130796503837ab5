"""Cases of keys, of characters in texts and of their masks."""

from typing import Any

from support.analyzer_table import Case

from treaty.engine.analyzers.characters import MeanCharacters, PatternShare, UpperShare
from treaty.engine.analyzers.distribution_distance import DistributionDistance
from treaty.engine.analyzers.keys import ApproxCountKeys
from treaty.engine.analyzers.pattern_conformity import PatternConformity

NOBODY = "id > 99"
# Chances are sums of exponentials of logarithms.
LOGS = 1e-12


def looks(*masks: tuple[str, int]) -> dict[str, Any]:
    """The details of a profile of patterns."""
    return {"values": [{"value": mask, "count": n} for mask, n in masks], "other": {"values": 0}, "error": 0}


KEYS = [
    Case(ApproxCountKeys(columns=("id",)), 6),
    Case(ApproxCountKeys(columns=("status",)), 4),
    Case(ApproxCountKeys(columns=("words",)), 5),
    Case(ApproxCountKeys(columns=("ratio",)), 4),
    Case(ApproxCountKeys(columns=("wild",)), 4),
    Case(ApproxCountKeys(columns=("seen",)), 3),
    Case(ApproxCountKeys(columns=("day",)), 4),
    Case(ApproxCountKeys(columns=("open",)), 2),
    Case(ApproxCountKeys(columns=("blob",)), 5),
    Case(ApproxCountKeys(columns=("price",)), 4),
    Case(ApproxCountKeys(columns=("constant", "status")), 5),
    Case(ApproxCountKeys(columns=("none", "none_number")), 0),
    Case(ApproxCountKeys(columns=("none",)), 0),
    Case(ApproxCountKeys(columns=("none", "words")), 5),
    Case(ApproxCountKeys(columns=("nested.name", "`a.b`", "Größe `x`")), 6),
    Case(ApproxCountKeys(columns=("id",), where=NOBODY), None),
]
CHARACTERS = [
    Case(MeanCharacters(column="words", of="letters"), 7 / 5, counted=5),
    Case(MeanCharacters(column="words", of="upper"), 0.0),
    Case(MeanCharacters(column="words", of="punctuation"), 2 / 5),
    Case(MeanCharacters(column="words", of="blanks"), 3 / 5),
    Case(MeanCharacters(column="typed", of="digits"), 11 / 5),
    Case(MeanCharacters(column="typed", of="upper"), 4 / 5),
    Case(MeanCharacters(column="typed", of="punctuation"), 3 / 5),
    Case(MeanCharacters(column="status", of="punctuation"), 2 / 5),
    Case(MeanCharacters(column="nested.name", of="letters"), 1.0, counted=4),
    Case(MeanCharacters(column="none", of="letters"), None, counted=0),
    Case(MeanCharacters(column="words", of="letters", where=NOBODY), None),
    Case(UpperShare(column="words"), 0.0, counted=5),
    Case(UpperShare(column="typed"), 4 / 5, counted=5),
    Case(UpperShare(column="nested.name"), 0.0, counted=4),
    Case(UpperShare(column="typed", where="id = 3"), 1.0, counted=1),
    Case(UpperShare(column="typed", where="id < 3"), None, counted=2),
    Case(UpperShare(column="none"), None, counted=0),
    Case(UpperShare(column="words", where=NOBODY), None),
    Case(
        PatternShare(column="status"),
        2 / 5,
        counted=5,
        details=looks(("aaa", 2), ("a'aaaa", 1), ("aaaa", 1), ("aaaa\\aaaaa", 1)),
    ),
    Case(
        PatternShare(column="words"),
        1 / 5,
        details=looks(("", 1), (" a ", 1), ("a", 1), ("aaaa\n", 1), ("axx", 1)),
    ),
    Case(
        PatternShare(column="typed"),
        1 / 5,
        details=looks(("0", 1), ("0.0", 1), ("0000-00-00", 1), ("AAAA", 1), ("a", 1)),
    ),
    Case(PatternShare(column="long"), 3 / 5, details=looks(("a" * 64, 3), ("", 1), ("a", 1))),
    Case(PatternShare(column="nested.name"), 1.0, counted=4),
    Case(PatternShare(column="none"), None, counted=0, details=looks()),
    Case(PatternShare(column="status", where=NOBODY), None),
]
# All partitions together have none before them.
DISTANCES = [
    Case(DistributionDistance(column="ratio", by="kolmogorov_smirnov"), None, counted=5),
    Case(DistributionDistance(column="day", by="earth_movers_distance"), None, counted=5),
    Case(DistributionDistance(column="price", by="cohens_d"), None, counted=5),
    Case(DistributionDistance(column="status", by="l1", of="values"), None, counted=5),
    Case(DistributionDistance(column="words", by="new", of="shapes"), None, counted=5),
    Case(DistributionDistance(column="none", by="l1", of="masks"), None, counted=0),
]
# Two of five do not match: of 105 values any two are as likely to be the bad ones.
CONFORMITY = [
    Case(PatternConformity(column="status", pattern="[a-z]+", learned_from=100), 10 / 5460, counted=5, within=LOGS),
    Case(PatternConformity(column="status", pattern="[a-z]+", learned_from=10), 10 / 105, within=LOGS),
    Case(PatternConformity(column="status", pattern="[a-z]+", learned_from=100, floor=0.5), 1.0),
    Case(PatternConformity(column="status", pattern="[^ ]+", learned_from=100), 1.0, counted=5),
    Case(PatternConformity(column="nested.name", pattern="z", learned_from=9, learned_bad=9), 1.0, counted=4),
    Case(PatternConformity(column="none", pattern="[a-z]+", learned_from=10), None, counted=0),
    Case(PatternConformity(column="status", pattern="[a-z]+", learned_from=10, where=NOBODY), None),
]
CASES: list[Case] = [*KEYS, *CHARACTERS, *DISTANCES, *CONFORMITY]
