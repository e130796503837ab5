"""Run the examples of one page of the docs in the current folder: `python -m support.doc_runner PAGE`.

A page declares in its front matter what its examples need. Its `sh` blocks share functions and exported variables, its
`python` blocks share one interpreter, a `text` block holds the expected output of the block before it, and a block with
a title is written to that file."""

import ast
import doctest
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

FENCE = re.compile(
    r"^(?P<indent>[ ]*)```(?P<kind>\w+)(?:[ ]+title=\"(?P<title>[^\"]+)\")?[ ]*\n(?P<text>.*?)^(?P=indent)```[ ]*$",
    flags=re.DOTALL | re.MULTILINE,
)
SKIPPED = re.compile(r"<!-- not run: (.+?) -->\s*$")
EXPECTED_CODE = re.compile(r"^# exit code (\d+)\s*\Z", flags=re.MULTILINE)
# The README declares it in a comment: where it is shown, front matter would be part of the text.
FRONT_MATTER = re.compile(r"\A(?:---\n(.*?)^---\n|<!-- (needs:.*?) -->)", flags=re.DOTALL | re.MULTILINE)
NEEDS = ("java", "registry", "listener", "delta", "iceberg", "postgres")
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
RUN = ("sh", "python")
LONGEST = 300
# Functions and variables of the blocks before, and where the block leaves its own.
SESSION = r"""
[ -f "$DOC_SESSION" ] && . "$DOC_SESSION"
# A job that is submitted has jars of its own, so it takes no Java that is there.
spark-submit() { env -u SPARK_HOME spark-submit "$@"; }
keep() {
  code=$?; set +eu
  { declare -f; declare -px | grep -v "^declare -[a-z]*r"; declare -p | grep -E "^declare -- [a-z]"; } > "$DOC_SESSION"
  exit $code
}
trap keep EXIT
set -euo pipefail
"""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page, with the line on which its text begins."""

    line: int
    kind: str
    title: str | None
    text: str
    # None: the block is run or written.
    skipped: str | None = None

    @property
    def is_run(self) -> bool:
        """Whether a reader would type the block: a shell's or Python's, not skipped and not a file."""
        return self.kind in RUN and self.title is None and self.skipped is None


class PageError(Exception):
    """An example that fails or prints something else, with the page's line."""


def needs(source: str) -> list[str]:
    """Return what the page's front matter declares; empty without one."""
    matter = FRONT_MATTER.match(source)
    return list((yaml.safe_load(matter[1] or matter[2]) or {}).get("needs", [])) if matter else []


def blocks(source: str) -> list[Block]:
    """Return the fenced blocks of a page, in order, without their indentation."""
    return list(_blocks(source))


def _blocks(source: str) -> Iterator[Block]:
    for fence in FENCE.finditer(source):
        skipped = SKIPPED.search(source[: fence.start()])
        text = re.sub(rf"^{fence['indent']}", "", fence["text"], flags=re.MULTILINE)
        line = source.count("\n", 0, fence.start("text")) + 1
        yield Block(line, fence["kind"], fence["title"], text, skipped[1] if skipped else None)


def run(source: str, session: Path) -> None:
    """Run all blocks of a page in the current folder; raise PageError at the first that fails."""
    found = blocks(source)
    names: dict[str, Any] = {"__name__": "__main__"}
    for index, block in enumerate(found):
        if block.title and not block.skipped:
            Path(block.title).parent.mkdir(parents=True, exist_ok=True)
            Path(block.title).write_text(block.text, encoding="utf-8")
        elif block.is_run:
            output = _shell(block, session) if block.kind == "sh" else _python(block, names, needs(source))
            following = found[index + 1] if index + 1 < len(found) else None
            if following and following.kind == "text" and _follows(source, block, following):
                _compare(following, output)
    if "spark" in names:
        names["spark"].stop()


def _follows(source: str, block: Block, output: Block) -> bool:
    """Return whether nothing but blank lines stands between a block and the one of its output."""
    start = block.line + block.text.count("\n") + 1
    between = source.splitlines()[start - 1 : output.line - 2]
    return not any(line.strip() for line in between if line.strip() != "```")


def _compare(expected: Block, output: str) -> None:
    checker = doctest.OutputChecker()
    if not checker.check_output(expected.text, output, OPTIONS):
        raise PageError(f"line {expected.line}: expected\n{expected.text}\nprinted\n{output[-4000:]}")


def _shell(block: Block, session: Path) -> str:
    code = EXPECTED_CODE.search(block.text)
    home = os.environ.get("DOC_SHELL_HOME")
    environment = {**os.environ, "DOC_SESSION": str(session), **({"SPARK_HOME": home} if home else {})}
    # A program in the background may outlive its block, so the output goes to a file and not to a pipe.
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as errors:
        ran = subprocess.run(
            ["bash", "-c", SESSION + block.text],
            env=environment, stdin=subprocess.DEVNULL, stdout=printed, stderr=errors, timeout=LONGEST, check=False,
        )  # fmt: skip
        output, error = (_content(each) for each in (printed, errors))
    if ran.returncode != (int(code[1]) if code else 0):
        raise PageError(f"line {block.line}: exit code {ran.returncode}\n{output[-4000:]}\n{error[-4000:]}")
    print(output, flush=True)
    return output


def _content(file: Any) -> str:
    file.seek(0)
    return str(file.read().decode("utf-8", "replace"))


def _python(block: Block, names: dict[str, Any], needed: list[str]) -> str:
    if "java" in needed and "spark" not in names:
        names["spark"] = _spark()
    code = compile(ast.parse("\n" * (block.line - 1) + block.text), "page", "exec")
    with redirect_stdout(io.StringIO()) as printed:
        try:
            exec(code, names)
        except Exception as error:
            raise PageError(f"line {block.line}: {type(error).__name__}\n{printed.getvalue()[-4000:]}") from error
    print(printed.getvalue(), flush=True)
    return printed.getvalue()


def _spark() -> Any:
    if home := os.environ.get("DOC_PYTHON_HOME"):
        os.environ["SPARK_HOME"] = home
    from treaty.engine.spark.process.session import start

    return start()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        run(Path(sys.argv[1]).read_text(encoding="utf-8"), Path(folder) / "session.sh")
