"""Trees of sources stay until the end: to look for garbage in them took longer than to parse them."""

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def _no_search_for_garbage() -> Iterator[None]:
    gc.disable()
    yield
    gc.freeze()
    gc.enable()
