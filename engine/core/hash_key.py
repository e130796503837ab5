"""Key of a dataset's hashes, which count classified values; never stored with the states.

Equal values have equal hashes within one dataset, so they can be counted. Without the key, values cannot be guessed
from the states. The key is derived from a key file and the dataset's name, so hashes of two datasets cannot be
compared."""

import hmac
import secrets
from dataclasses import dataclass, field
from hashlib import sha256

SIZE = 32
BLOCK = 64
ABOUT_ITSELF = b"treaty: which key this is"
# Padding of the key for the two rounds of RFC 2104.
WITHIN, AROUND = 0x36, 0x5C


@dataclass(frozen=True)
class HashKey:
    """A key for hashes. `lasting`: the key is stored in a file, so hashes made with it may be stored."""

    content: bytes = field(repr=False)
    lasting: bool = True

    @property
    def id(self) -> str:
        """Return 16 hex digits that identify this key without revealing it."""
        return hmac.digest(self.content, ABOUT_ITSELF, sha256).hex()[:16]

    def of(self, dataset: str) -> "HashKey":
        """Return the key of the dataset with that name."""
        return HashKey(hmac.digest(self.content, f"dataset: {dataset}".encode(), sha256), self.lasting)

    @property
    def rounds(self) -> tuple[bytes, bytes]:
        """Return the key padded for the inner and the outer round of HMAC-SHA-256."""
        whole = self.content.ljust(BLOCK, b"\0")
        return bytes(each ^ WITHIN for each in whole), bytes(each ^ AROUND for each in whole)


def transient_key() -> HashKey:
    """Return a random key that is never stored."""
    return HashKey(secrets.token_bytes(SIZE), lasting=False)
