"""Name why a state is missing: bags store a code, people read its sentence."""

from enum import StrEnum


class MissingState(StrEnum):
    """Why a state is missing, as stored.

    `unlike_types` is followed by a column. `keys_differ`: hashed with different keys. `classified`, `keyless`: never
    stored, for the contract's classification or for want of a key."""

    UNLIKE_TYPES = "unlike_types"
    KEYS_DIFFER = "keys_differ"
    CLASSIFIED = "classified"
    KEYLESS = "keyless"


SENTENCES = {
    MissingState.KEYS_DIFFER: "its values were hashed with different keys: validate all partitions again",
    MissingState.CLASSIFIED: "it is not stored: it contains values of a column that the contract classifies",
    MissingState.KEYLESS: (
        "it is not stored: the contract classifies its column, and no key file was given to hash the values with"
    ),
}
# Reasons why computed states are not stored; they cannot be recomputed from stored ones.
NEVER_STORED = frozenset({MissingState.CLASSIFIED, MissingState.KEYLESS})
_UNLIKE = f"{MissingState.UNLIKE_TYPES}:"


def unlike_types(subject: str) -> str:
    """Return the stored reason for states of a column that cannot be merged."""
    return f"{_UNLIKE}{subject}"


def is_unlike(stored: str | None) -> bool:
    """Return whether a stored reason is that the column has several types."""
    return stored is not None and stored.startswith(_UNLIKE)


def sentence(stored: str) -> str:
    """Return the sentence of a stored reason; a reason without a code, such as an error, is returned unchanged."""
    if is_unlike(stored):
        return f"{stored.removeprefix(_UNLIKE)} is not of one type in all partitions"
    return SENTENCES[MissingState(stored)] if stored in set(MissingState) & SENTENCES.keys() else stored
