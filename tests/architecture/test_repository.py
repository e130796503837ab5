"""The files around the code are valid, and every make target and script that they name exists."""

import json
import re
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
YAML_FILES = [ROOT / ".pre-commit-config.yaml", *sorted(GITHUB.rglob("*.yml"))]
COMMAND_FILES = [
    ROOT / ".devcontainer" / "devcontainer.json",
    ROOT / ".pre-commit-config.yaml",
    ROOT / "CONTRIBUTING.md",
    GITHUB / "pull_request_template.md",
    GITHUB / "workflows" / "ci.yml",
]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
FIELDS = {"markdown", "textarea", "input", "dropdown", "checkboxes"}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def loaded(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", YAML_FILES, ids=relative)
def test_a_file_is_yaml(path: Path) -> None:
    assert isinstance(loaded(path), dict)


def test_the_development_container_is_json() -> None:
    assert json.loads(COMMAND_FILES[0].read_text(encoding="utf-8"))["postCreateCommand"] == "make setup"


def test_the_editor_settings_are_read() -> None:
    settings = ConfigParser()
    settings.read_string("[top]\n" + (ROOT / ".editorconfig").read_text(encoding="utf-8"))
    assert settings["top"]["root"] == "true"
    assert settings["*"]["max_line_length"] == "120"


@pytest.mark.parametrize("path", COMMAND_FILES, ids=relative)
def test_named_make_targets_exist(path: Path) -> None:
    commands = re.findall(
        r"(?:`|run: |^|\| |\")make ((?:[a-z-]+ ?)+)", path.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert {target for each in commands for target in each.split()} - TARGETS == set()


@pytest.mark.parametrize("path", COMMAND_FILES, ids=relative)
def test_named_scripts_and_files_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    named = re.findall(r"(?<![\w/.])(?:\.ci|bin|bench|tests)/[\w/.-]*[\w-]", text)
    assert [each for each in named if not (ROOT / each).exists()] == []


def test_every_action_and_hook_has_a_version() -> None:
    steps = [step for job in loaded(GITHUB / "workflows" / "ci.yml")["jobs"].values() for step in job["steps"]]
    assert [step["uses"] for step in steps if not re.search(r"@v\d+$", step.get("uses", "@v1"))] == []
    repositories = [each for each in loaded(ROOT / ".pre-commit-config.yaml")["repos"] if each["repo"] != "local"]
    assert all(re.fullmatch(r"v\d+\.\d+\.\d+", each["rev"]) for each in repositories)


def test_ci_runs_the_script_of_ci_and_builds_the_docs() -> None:
    jobs = loaded(GITHUB / "workflows" / "ci.yml")["jobs"].values()
    assert {".ci/run", "make docs", "make wheel"} <= {step.get("run") for job in jobs for step in job["steps"]}


@pytest.mark.parametrize(
    "path", sorted(set(GITHUB.glob("ISSUE_TEMPLATE/*.yml")) - {GITHUB / "ISSUE_TEMPLATE/config.yml"}), ids=relative
)
def test_an_issue_form_is_complete(path: Path) -> None:
    form = loaded(path)
    ids = [field["id"] for field in form["body"] if field["type"] != "markdown"]
    assert form["name"]
    assert form["description"]
    assert {field["type"] for field in form["body"]} <= FIELDS
    assert len(ids) == len(set(ids))
    assert all(field["attributes"].get("label") for field in form["body"] if field["type"] != "markdown")
