"""Rings of keys: the first signs, all are recognised, and none is ever told."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from treaty.engine.core import key_files
from treaty.engine.core.errors import EngineError
from treaty.engine.core.hash_key import HashKey
from treaty.registry.audit import hash_chain, signed_heads
from treaty.registry.audit.hash_chain import AuditHead
from treaty.registry.core.keyring import ring
from treaty.registry.core.settings import ConfigError, RegistrySettings, load

OLD, NEW = bytes(range(32)), bytes(range(1, 33))
AT = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    for name in ("new", "old"):
        key_files.make(tmp_path / name)
    return str(tmp_path / "new"), str(tmp_path / "old")


def test_the_first_signs_and_all_are_recognised_until_they_are_taken_out(files: tuple[str, str]) -> None:
    new, old = files
    head = AuditHead(position=1, hash="0" * 64, time=AT)
    before, both, after = (ring("X", texts="", files=each) for each in ([old], [new, old], [new]))
    signed = hash_chain.signed(head, before[0])
    assert [hash_chain.genuine(signed, each) for each in (before, both, after)] == [True, True, None]
    assert hash_chain.genuine(hash_chain.signed(head, both[0]), after) is True


def test_keys_of_the_environment_come_before_those_of_files_and_each_is_there_once(files: tuple[str, str]) -> None:
    Path(files[0]).write_bytes(OLD)
    found = ring("X", texts=f" {NEW.hex()}, {OLD.hex().upper()},", files=files[:1])
    assert [each.content for each in found] == [NEW, OLD]


def test_a_file_that_is_not_there_is_no_key(tmp_path: Path) -> None:
    assert ring("X", texts="", files=[str(tmp_path / "gone")]) == ()


@pytest.mark.parametrize("text", ["short", OLD.hex()[:-2], OLD.hex() + "00", "g" * 64])
def test_a_text_that_is_no_key_is_named_by_its_setting_alone(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^TREATY_X: a key must have 64 hexadecimal digits\.$"):
        ring("TREATY_X", texts=text, files=())


def test_a_file_that_others_may_read_is_refused(files: tuple[str, str]) -> None:
    Path(files[1]).chmod(0o644)
    with pytest.raises(EngineError, match="other users can read"):
        ring("X", texts="", files=files)


def test_the_settings_say_which_keys_sign_heads_and_do_not_show_them(files: tuple[str, str]) -> None:
    settings = load({"TREATY_AUDIT_KEY_FILE": ", ".join(files), "TREATY_AUDIT_KEY_TEXT": NEW.hex()})
    assert settings.audit_keys == files
    assert settings.audit_key == files[0]
    found = signed_heads.keys(settings)
    assert [each.content for each in found] == [NEW, *(Path(each).read_bytes() for each in files)]
    assert [text for text in (repr(settings), repr(found), str(found)) if NEW.hex() in text or str(NEW) in text] == []
    assert RegistrySettings().audit_keys == (RegistrySettings().audit_key,)
    assert HashKey(NEW).id not in NEW.hex()
