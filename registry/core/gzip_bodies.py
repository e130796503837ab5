"""Inflate gzip bodies written by others, bounded in size and ratio."""

import zlib

GZIP = 16 + zlib.MAX_WBITS
PIECE = 64 * 1024
# JSON of a thousand events compresses to a fiftieth; only bodies that are made to do harm exceed this ratio.
MAX_RATIO = 200
# Up to this size in bytes, the ratio does not matter.
ALWAYS_ADMITTED = 1024 * 1024


class InflatedTooLarge(Exception):
    """The body inflates to more than `most` bytes, or beyond MAX_RATIO."""


def inflate(sent: bytes, most: int) -> bytes:
    """Return the uncompressed body, one or several gzip members.

    Inflates piece by piece and never holds more than `most` bytes. Raises InflatedTooLarge, and zlib.error or EOFError
    if the body is not gzip."""
    plain, allowed = bytearray(), min(most, max(ALWAYS_ADMITTED, MAX_RATIO * len(sent)))
    while sent:
        member = zlib.decompressobj(GZIP)
        while not member.eof:
            piece = member.decompress(sent, PIECE)
            sent = member.unconsumed_tail
            plain += piece
            if len(plain) > allowed:
                raise InflatedTooLarge
            if not piece and not sent and not member.eof:
                raise EOFError
        sent = member.unused_data
    return bytes(plain)
