"""What a worker counts of itself, and that it answers with it."""

from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from support.ports import free_port

from treaty.engine.core import clock
from treaty.registry.core import ids
from treaty.registry.core.prometheus import Counts, line
from treaty.registry.tables import Task
from treaty.registry.worker.metrics import Figures, served


def task() -> Task:
    return Task(id=ids.new(), kind="validate", payload={}, key="k", available_at=clock.now(), created=clock.now())


@pytest.mark.parametrize(
    ("number", "told"), [(0, "0"), (1_234_567.0, "1234567"), (12_345_678_901, "12345678901"), (0.25, "0.25")]
)
def test_a_number_is_told_to_its_last_digit(number: float, told: str) -> None:
    assert line("n", (), number) == f"n {told}"


def test_attempts_are_counted_by_how_they_ended() -> None:
    figures = Figures()
    with figures.attempt(task()):
        pass
    for error in (RuntimeError, KeyboardInterrupt):
        with pytest.raises(error), figures.attempt(task()):
            raise error
    counted = {dict(labels)["ended"]: number for labels, number in figures.tasks.numbers.items()}
    assert counted == {"done": 1, "failed": 1, "released": 1}


def test_counts_of_several_threads_add_up() -> None:
    from concurrent.futures import ThreadPoolExecutor

    counts = Counts("treaty_x_total", "X.")
    with ThreadPoolExecutor(8) as threads:
        for _ in range(800):
            threads.submit(counts.add, kind="a")
    assert list(counts.lines())[-1] == 'treaty_x_total{kind="a"} 800'


def test_a_worker_answers_with_its_figures_where_it_is_told_to() -> None:
    figures, port = Figures(), free_port()
    figures.asked("measure", 1.5)
    with served(figures, "127.0.0.1", port):
        with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
            told = answer.read().decode()
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"http://127.0.0.1:{port}/")
    assert 'treaty_worker_spark_seconds_total{asked="measure"} 1.5' in told.splitlines()
    with pytest.raises(OSError, match="refused"):
        urlopen(f"http://127.0.0.1:{port}/metrics")


def test_a_worker_answers_nowhere_unless_told() -> None:
    with served(Figures(), "127.0.0.1", 0) as port:
        assert port == 0
