"""Ctrl-C and SIGTERM wait for what must not be cut in two."""

import signal
from collections.abc import Iterator
from threading import Thread

import pytest
from support.signals import interruptible

from treaty.engine.core.interrupts import INTERRUPTS, defer_interrupts


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Both interrupt, and after the test they still do."""
    with interruptible():
        yield
        assert {signal.getsignal(each) for each in INTERRUPTS} == {signal.default_int_handler}


def within(done: list[str], *sent: signal.Signals) -> None:
    with defer_interrupts():
        for each in sent:
            signal.raise_signal(each)
        done.append("whole")
    done.append("never")


def failing() -> None:
    with defer_interrupts():
        signal.raise_signal(signal.SIGTERM)
        raise ValueError("of the block")


@pytest.mark.parametrize("sent", [(signal.SIGINT,), (signal.SIGTERM,), (signal.SIGTERM, signal.SIGINT)])
def test_what_comes_during_the_block_interrupts_after_it(sent: tuple[signal.Signals, ...]) -> None:
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        within(done, *sent)
    assert done == ["whole"]


def test_nothing_came_and_nothing_is_raised() -> None:
    with defer_interrupts():
        assert signal.getsignal(signal.SIGTERM) is not signal.default_int_handler


def test_an_error_of_the_block_is_the_context_of_the_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt) as interrupted:
        failing()
    assert isinstance(interrupted.value.__context__, ValueError)


def test_in_another_thread_handlers_stay_as_they_are() -> None:
    seen = []

    def look() -> None:
        with defer_interrupts():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
