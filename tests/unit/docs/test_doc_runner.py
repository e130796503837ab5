"""The runner of the docs' examples: a page that is wrong fails, at the line where it is wrong."""

from pathlib import Path

import pytest
from support import doc_runner
from support.doc_runner import PageError

PASSING = {
    "a printed line": "```sh\necho one\n```\n\n```text\none\n```\n",
    "a part of the output": "```sh\necho one two three\n```\n```text\none ... three\n```\n",
    "functions and exports last": "```sh\nexport A=1 b=2\nf() { echo $A$b; }\n```\n\n```sh\nf\n```\n```text\n12\n```\n",
    "an exit code": "```sh\ntest a = b\n# exit code 1\n```\n",
    "what came before an exit code": "```sh\nA=1; export A\nexit 3\n# exit code 3\n```\n```sh\ntest $A = 1\n```\n",
    "a file": '```yaml title="a/b.yaml"\nx: 1\n```\n```sh\ngrep -q "x: 1" a/b.yaml\n```\n',
    "Python's names last": "```python\nx = 1\n```\n```python\nprint(x)\n```\n```text\n1\n```\n",
    "a block within a list": "1. Do\n   ```sh\n   echo one\n   ```\n   ```text\n   one\n   ```\n",
    "a block that is not run": "<!-- not run: needs a cluster -->\n```sh\nexit 1\n```\n",
    "text that is no output": "```sh\necho one\n```\n\nSomething else:\n\n```text\ntwo\n```\n",
}
FAILING = {
    "another line": ("```sh\necho one\n```\n\n```text\ntwo\n```\n", "line 6"),
    "an exit code": ("```sh\nfalse\n```\n", "line 2: exit code 1"),
    "a missing exit code": ("```sh\ntrue\n# exit code 1\n```\n", "line 2: exit code 0"),
    "a command before the last": ("text\n\n```sh\nfalse\ntrue\n```\n", "line 4"),
    "a pipe": ("```sh\nfalse | cat\n```\n", "line 2"),
    "a name that is not there": ("```python\nprint(x)\n```\n", "line 2: NameError"),
    "output in a list": ("1. Do\n   ```sh\n   echo one\n   ```\n   ```text\n   two\n   ```\n", "line 6"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", PASSING)
def test_a_page_that_is_right_runs(name: str, folder: Path) -> None:
    doc_runner.run(PASSING[name], folder / "session")


@pytest.mark.parametrize("name", FAILING)
def test_a_page_that_is_wrong_fails_with_its_line(name: str, folder: Path) -> None:
    source, message = FAILING[name]
    with pytest.raises(PageError, match=message):
        doc_runner.run(source, folder / "session")


def test_a_page_declares_what_it_needs() -> None:
    assert doc_runner.needs("---\nneeds: [java, delta]\n---\n# Page\n") == ["java", "delta"]
    assert doc_runner.needs("<!-- needs: [java] -->\n# Page\n") == ["java"]
    assert doc_runner.needs("# Page\n\n---\n\nneeds: [java]\n\n---\n") == []
    assert doc_runner.needs("---\ntitle: x\n---\n") == []
