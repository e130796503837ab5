"""The parts that are started together: what they are told, and how their failures are."""

import os
import signal
import sys
from pathlib import Path

import pytest
from support.ports import free_port
from support.processes import all_gone, descendants

from treaty.registry.core import settings as core_settings
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.serve import local_stack


def test_every_setting_reaches_the_parts_and_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = RegistrySettings(
        home=Path("kept"), database_url="postgresql://u:secret@h/d", api_port=9000, ui_port=9001, poll_seconds=0.5
    )

    told = local_stack.environment(settings, {"PATH": "/bin", "TREATY_UI_PORT": "1"})

    assert told["PATH"] == "/bin"
    assert told["TREATY_HOME"] == str(tmp_path / "kept")
    assert core_settings.load(told) == settings.model_copy(
        update={"home": tmp_path / "kept", "api_url": "http://127.0.0.1:9000"}
    )


def test_a_setting_without_a_value_is_not_told() -> None:
    told = local_stack.environment(RegistrySettings(), {})

    assert all(told.values())
    assert "TREATY_DATABASE_URL" not in told


@pytest.mark.parametrize(
    ("named", "folder", "allowed"),
    [
        (None, "/srv/shop", ("/srv/shop",)),
        ("/data,s3://lake", "/srv/shop", ("/data", "s3://lake")),
        ("", "/srv/shop", ()),
        (None, "/", ()),
        (None, "/srv/a,b", ()),
        (None, "/srv/a\\b", ()),
    ],
)
def test_the_folder_of_the_start_is_allowed_unless_locations_are_named(
    named: str | None, folder: str, allowed: tuple[str, ...]
) -> None:
    settings = local_stack.with_start_folder(RegistrySettings(locations=named), Path(folder))

    told = local_stack.environment(settings, {"TREATY_LOCATIONS": named} if named is not None else {})
    assert core_settings.load(told).location_names == settings.location_names == allowed


def sleeper(_: RegistrySettings) -> local_stack.ManagedProcess:
    return local_stack.ManagedProcess("sleeper", (sys.executable, "-c", "import time; time.sleep(60)"))


def stubborn(_: RegistrySettings) -> local_stack.ManagedProcess:
    script = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('here', flush=True); time.sleep(60)"
    )
    return local_stack.ManagedProcess("stubborn", (sys.executable, "-c", script))


def broken(settings: RegistrySettings) -> local_stack.ManagedProcess:
    script = "print('first'); raise SystemExit('the disk is full')"
    return local_stack.ManagedProcess("broken", (sys.executable, "-c", script), f"{settings.api}/never")


def test_a_part_that_ends_while_it_starts_is_told_with_its_log_and_ends_the_others(tmp_path: Path) -> None:
    before = descendants(os.getpid())

    with (
        pytest.raises(local_stack.StartFailed) as failed,
        local_stack.run_processes(RegistrySettings(home=tmp_path, api_port=free_port()), (sleeper, broken)),
    ):
        pass

    log = tmp_path / "logs" / "broken.log"
    assert str(failed.value) == f"broken exited with code 1. Last lines of {log}:\nfirst\nthe disk is full"
    assert all_gone(descendants(os.getpid()) - before)


def test_a_part_that_does_not_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_stack, "STOPS_WITHIN", 0.2)

    with local_stack.run_processes(RegistrySettings(home=tmp_path), (stubborn,)) as (started,):
        while "here" not in started.log.read_text():
            pass

    assert started.process.returncode == -signal.SIGKILL


def test_a_part_that_was_killed_is_told_by_its_signal(tmp_path: Path) -> None:
    with local_stack.run_processes(RegistrySettings(home=tmp_path), (sleeper,)) as (started,):
        started.process.kill()
        started.process.wait()

        with pytest.raises(local_stack.StartFailed, match=r"^sleeper was terminated by signal 9. Last lines of "):
            local_stack.watch([started])


def test_the_signals_are_as_before_once_the_parts_have_ended(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)

    with local_stack.run_processes(RegistrySettings(home=tmp_path), ()), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)

    assert signal.getsignal(signal.SIGTERM) is before
