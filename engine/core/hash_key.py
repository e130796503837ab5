"""The key of a dataset's hashes: what classified values are counted by, and never written anywhere.

Equal values have equal hashes within one dataset, so they can be counted; who has the states without the key cannot try
values out. The key is made of a file's and the dataset's name, so that the hashes of two datasets do not compare."""

import hmac
import secrets
from dataclasses import dataclass, field
from hashlib import sha256

SIZE = 32
BLOCK = 64
ABOUT_ITSELF = b"treaty: which key this is"
# What RFC 2104 pads the key with for its two rounds.
WITHIN, AROUND = 0x36, 0x5C


@dataclass(frozen=True)
class HashKey:
    """A key of hashes. `lasting`: it will be there again, so what is hashed by it may be stored."""

    content: bytes = field(repr=False)
    lasting: bool = True

    @property
    def id(self) -> str:
        """16 hex digits that tell this key from others, and nothing else of it."""
        return hmac.digest(self.content, ABOUT_ITSELF, sha256).hex()[:16]

    def of(self, dataset: str) -> "HashKey":
        """The key of the dataset of that name."""
        return HashKey(hmac.digest(self.content, f"dataset: {dataset}".encode(), sha256), self.lasting)

    @property
    def rounds(self) -> tuple[bytes, bytes]:
        """The key padded for the inner and for the outer round of HMAC-SHA-256."""
        whole = self.content.ljust(BLOCK, b"\0")
        return bytes(each ^ WITHIN for each in whole), bytes(each ^ AROUND for each in whole)


def transient_key() -> HashKey:
    """A key that nobody will have again."""
    return HashKey(secrets.token_bytes(SIZE), lasting=False)
