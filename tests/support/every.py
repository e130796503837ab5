"""Many cases as one test: to collect, hand out and report a test takes longer than a short case."""

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import signature
from typing import Any

import pytest

Test = Callable[..., None]
Ids = Iterable[str] | Callable[[Any], str]


def every(names: str | Sequence[str], cases: Iterable[Any], *, ids: Ids = str) -> Callable[[Test], Test]:
    """Makes one test of a test of one case, written as for `pytest.mark.parametrize`; it names all cases that fail.

    For cases that need nothing of their own: a fixture is set up once and serves all of them."""
    arguments = [each.strip() for each in names.split(",")] if isinstance(names, str) else list(names)
    given = list(cases)
    titles = [ids(each) for each in given] if callable(ids) else list(ids)

    def made(test: Test) -> Test:
        @wraps(test)
        def all_of_them(**fixtures: Any) -> None:
            assert given, "there is no case"
            failures: dict[str, BaseException] = {}
            for title, case in zip(titles, given, strict=True):
                values = (case,) if len(arguments) == 1 else case
                try:
                    test(**fixtures, **dict(zip(arguments, values, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    failures[title] = error
            _report(failures, len(given))

        kept = signature(test)
        fixtures = [each for name, each in kept.parameters.items() if name not in arguments]
        all_of_them.__signature__ = kept.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return all_of_them

    return made


def _report(failures: dict[str, BaseException], of: int) -> None:
    """Fails where there are any: what failed and how, and the first of them with its traceback."""
    if failures:
        lines = (f"{title}: {type(error).__name__}: {error}" for title, error in failures.items())
        raise AssertionError("\n".join((f"{len(failures)} of {of} cases fail", *lines))) from next(
            iter(failures.values())
        )
