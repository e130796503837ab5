"""The pages of the site have one form: reachable, short, with examples that say what they need."""

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest
from support import doc_runner, site
from support.every import every
from support.glossary import BANNED_IN_PAGES

from docs import prose

NAV = frozenset(site.navigation())
WRITTEN = [path for path in site.written() if path.is_relative_to(site.DOCS)]
# The pages of the navigation, without the records of decisions.
PAGES = [path for path in WRITTEN if path.relative_to(site.DOCS).as_posix() in NAV]
RECORDS = sorted((site.DOCS / "decisions").glob("0*.md"))
MOST_LINES, MOST_WORDS, MOST_SKIPPED = 200, 30_000, 10
# Formats that need their jars, by the word that a page names them with.
FORMATS = {"delta": "Delta", "iceberg": "Iceberg"}
# Each of these needs Java, too.
WITH_JAVA = {"delta", "iceberg", "listener"}
# What the examples of a page show that it needs.
SIGNS = {
    "java": re.compile(r"\bspark\.\w|\btreaty (?:verify|quarantine|draft|profile|gate|demo)\b"),
    "registry": re.compile(r"\bTREATY_(?:TOKEN|API_URL)\b|\bClient\("),
    "delta": re.compile(r"format\(\"delta\"\)|USING delta", re.IGNORECASE),
    "iceberg": re.compile(r"USING iceberg|\.iceberg\.", re.IGNORECASE),
}
# Banned words with another meaning: the page, then the word.
ALLOWED: set[tuple[str, str]] = set()


def relative(path: Path) -> str:
    return path.relative_to(prose.ROOT).as_posix()


def examples(path: Path) -> list[doc_runner.Block]:
    return [each for each in doc_runner.blocks(prose.read(path)) if each.is_run]


def test_every_page_is_in_the_navigation_once() -> None:
    listed = list(site.navigation())
    others = site.configuration()["not_in_nav"].split()
    assert sorted(set(listed) - set(site.pages())) == [], "these pages do not exist"
    assert [each for each in set(listed) if listed.count(each) > 1] == []
    lost = [each for each in site.pages() if each not in listed and not any(fnmatch(each, one) for one in others)]
    assert sorted(lost) == [], "name these pages in zensical.toml"


def test_the_home_page_links_the_glossary() -> None:
    assert "reference/glossary.md" in [target for _, _, target in site.links(prose.DOCS / "index.md")]


@every("path", PAGES, ids=relative)
def test_a_page_is_short(path: Path) -> None:
    assert len(prose.read(path).splitlines()) <= MOST_LINES


def test_all_pages_together_are_short() -> None:
    words = {relative(path): len(prose.prose(prose.read(path)).split()) for path in PAGES}
    assert sum(words.values()) <= MOST_WORDS, sorted(words.items(), key=lambda each: -each[1])[:10]


@every("path", PAGES, ids=relative)
def test_a_page_has_one_title(path: Path) -> None:
    titles = re.findall(r"^# .+", prose.prose(prose.read(path)), re.MULTILINE)
    assert len(titles) == 1


@every("path", PAGES, ids=relative)
def test_a_page_declares_what_its_examples_need(path: Path) -> None:
    needs = set(doc_runner.needs(prose.read(path)))
    needs |= {"java"} if needs & WITH_JAVA else set()
    text = "\n".join(each.text for each in examples(path))
    assert [each for each, sign in SIGNS.items() if sign.search(text) and each not in needs] == []


@every("path", PAGES, ids=relative)
def test_a_page_names_its_table_format_in_its_first_lines(path: Path) -> None:
    needs = doc_runner.needs(prose.read(path))
    first = "\n".join(prose.prose(prose.read(path)).strip().splitlines()[:10])
    assert [word for need, word in FORMATS.items() if need in needs and word not in first] == []


def test_few_examples_are_not_run() -> None:
    reasons = [(relative(path), each.skipped) for path in PAGES for each in doc_runner.blocks(prose.read(path))]
    skipped = [each for each in reasons if each[1]]
    assert len(skipped) <= MOST_SKIPPED, skipped


@every("path", PAGES, ids=relative)
def test_pictures_are_described(path: Path) -> None:
    pictures = [(text, target) for is_picture, text, target in site.links(path) if is_picture]
    assert [target for text, target in pictures if len(text.split()) < 4] == [], "write an alt text of four words"


@every("path", [*PAGES, *RECORDS], ids=relative)
def test_pages_use_the_words_of_the_glossary(path: Path) -> None:
    faults = [
        f"{number}: {match[0]!r} in {line.strip()!r}"
        for number, line in enumerate(prose.CODE.sub(prose.blank, prose.prose(prose.read(path))).split("\n"), start=1)
        for match in BANNED_IN_PAGES.finditer(line)
        if (path.name, match[0].lower()) not in ALLOWED
    ]
    assert faults == [], "use the glossary's word"


@every("path", RECORDS, ids=relative)
def test_a_decision_is_a_short_record(path: Path) -> None:
    text = prose.read(path)
    assert re.match(r"# (?:\d{4}[:.] )?\S", text)
    assert re.search(r"^(?:\*\*)?Status:?(?:\*\*)?:? *(?:Accepted|Superseded)", text, re.MULTILINE)
    assert 60 <= len(prose.prose(text).split()) <= 220


def test_numbers_of_decisions_are_unique() -> None:
    numbers = [path.name[:4] for path in RECORDS]
    assert len(numbers) == len(set(numbers))


def test_the_site_needs_no_network() -> None:
    configuration = site.configuration()
    assert configuration["theme"]["font"] is False
    files = [*configuration["extra_css"], *configuration["extra_javascript"]]
    assert [each for each in files if not (prose.DOCS / each).exists()] == []
    sources = [(prose.DOCS / each).read_text(encoding="utf-8") for each in files]
    assert [each for each in sources if "://" in each] == []


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Who it is for", "who-it-is-for"),
        ("`treaty verify`", "treaty-verify"),
        ("Where is ...?", "where-is"),
        ("`Contract.object(name)`", "contractobjectname"),
        ("A [link](x.md), and more", "a-link-and-more"),
        ("0001: Build - it", "0001-build-it"),
    ],
)
def test_anchors_are_made_as_the_site_makes_them(heading: str, anchor: str) -> None:
    assert site.slug(heading) == anchor


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text("# One\n\n## Two\n\n## Two\n", encoding="utf-8")
    page = tmp_path / "a.md"
    page.write_text("[a](b.md#two_1) [b](b.md#three) [c](c.md) `[d](d.md)` [e](https://f.example)\n", encoding="utf-8")
    assert site.broken(page) == ["b.md#three", "c.md"]
