"""A disk with a volatile cache, and what may be left of it when the power is lost.

What a process does is seen at once by all processes, as on any disk, but lasts only once it was synced: the content of
a file by syncing that file, names in a folder by syncing that folder. Of all else any part may be left, in any order:
of a file's content the old, the new, the beginning of the new, or zeros; of changes to names each one or not. One
change is whole or not there: a rename never leaves a file without a name, as on every file system with a journal. A
folder whose own name is lost takes with it what is in it."""

import os
import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from support.gates import Crash

from treaty.engine.core.disk import Disk

Entries = dict[str, "Node"]


@dataclass(eq=False)
class Node:
    """A file or folder, whatever its name. `now` is what processes see, `lasting` what is left for certain: of a folder
    the names in it, of a file its content and time; None: nothing was ever synced of it."""

    is_folder: bool
    now: Any
    lasting: Any


@dataclass(frozen=True)
class Named:
    """In a folder a name stands for another node than before; None: for nothing."""

    folder: Node
    name: str
    before: Node | None
    after: Node | None

    def apply(self, names: Entries) -> None:
        """Changes the names of the folder, which may be others than they were."""
        if self.after is not None:
            names[self.name] = self.after
        elif names.get(self.name) is self.before:
            del names[self.name]


# What is whole or not there: one name, or the two of a rename.
Change = tuple[Named, ...]


@dataclass
class Powered(Disk):
    """A disk of what lies below the folder `root`, all of which lasts at the beginning. The process that uses it ends
    right before sync number `last`; None: never. `syncs` counts them. Once it ended, it does nothing more; another one
    may `resume`, until the power is lost."""

    root: str
    last: int | None = None
    syncs: int = 0
    ended: bool = False
    pending: list[Change] = field(default_factory=list)
    nodes: dict[int, Node] = field(default_factory=dict)
    top: Node = field(default_factory=lambda: Node(True, {}, {}))

    def __post_init__(self) -> None:
        self._look()
        for node in [self.top, *self.nodes.values()]:
            node.lasting = dict(node.now) if node.is_folder else node.now
        self.pending = []

    @contextmanager
    def on(self) -> Iterator[None]:
        """Has every sync of this process be one of this disk."""
        with patch.object(os, "fsync", self._synced):
            yield

    def write(self, path: str, content: bytes) -> None:
        self._doing(super().write, path, content)

    def rename(self, origin: str, target: str) -> None:
        self._doing(super().rename, origin, target)

    def folder(self, path: str) -> None:
        self._doing(super().folder, path)

    def anchor(self, path: str) -> None:
        self._doing(super().anchor, path)

    def remove(self, path: str) -> None:
        self._doing(super().remove, path)

    def clear(self, folder: str) -> None:
        self._doing(super().clear, folder)

    def settle(self, folder: str) -> None:
        self._doing(super().settle, folder)

    def resume(self, last: int | None = None) -> None:
        """Another process uses the disk, whose power was not lost."""
        self.last, self.syncs, self.ended = last, 0, False

    def left(self, rng: random.Random | None = None, *, everything: bool = False) -> None:
        """Has below `root` what may be left after a loss of power: of what was not synced a part, by `rng`; else
        everything or nothing."""
        share = rng.choice([0.2, 0.5, 0.8]) if rng else float(everything)
        names: dict[Node, Entries] = {}
        for change in self.pending:
            if share == 1 or (rng is not None and rng.random() < share):
                for each in change:
                    each.apply(names.setdefault(each.folder, dict(each.folder.lasting)))
        shutil.rmtree(self.root)
        self._make(self.root, self.top, names, partial(_content, rng=rng, everything=everything))

    def _make(self, path: str, node: Node, names: Mapping[Node, Entries], content: Callable[[Node], Any]) -> None:
        os.mkdir(path)
        for name, child in names.get(node, node.lasting).items():
            place = os.path.join(path, name)
            if child.is_folder:
                self._make(place, child, names, content)
            else:
                body, time = content(child)
                Path(place).write_bytes(body)
                os.utime(place, ns=(time, time))

    def _doing(self, what: Callable[..., None], *given: Any) -> None:
        if self.ended:
            raise Crash
        self._look()
        what(*given)
        self._look()

    def _synced(self, opened: int) -> None:
        self._look()
        if self.ended or self.syncs == self.last:
            self.ended = True
            raise Crash
        self.syncs += 1
        node = self.nodes.get(os.fstat(opened).st_ino, self.top)
        if not node.is_folder:
            node.lasting = node.now
        for change in [each for each in self.pending if any(named.folder is node for named in each)]:
            self.pending.remove(change)
            for named in change:
                named.apply(named.folder.lasting)

    def _look(self) -> None:
        """Takes notice of what was done since the last look: none of it lasts yet."""
        seen: dict[int, Node] = {}
        found = list(self._compared(self.root, self.top, seen))
        self.nodes = seen
        for each in found:
            each.apply(each.folder.now)
        self.pending += _changes(found)

    def _compared(self, path: str, folder: Node, seen: dict[int, Node]) -> Iterator[Named]:
        with os.scandir(path) as listed:
            there = {each.name: each for each in listed}
        for name in folder.now.keys() - there.keys():
            yield Named(folder, name, folder.now[name], None)
        for name, each in sorted(there.items()):
            node = self._node(each)
            seen[each.inode()] = node
            if folder.now.get(name) is not node:
                yield Named(folder, name, folder.now.get(name), node)
            if node.is_folder:
                yield from self._compared(each.path, node, seen)
            else:
                node.now = Path(each.path).read_bytes(), each.stat().st_mtime_ns

    def _node(self, found: os.DirEntry[str]) -> Node:
        known = self.nodes.get(found.inode())
        if known is not None and known.is_folder == found.is_dir():
            return known
        return Node(True, {}, {}) if found.is_dir() else Node(False, None, None)


def _changes(found: list[Named]) -> Iterator[Change]:
    """A node that lost one name and got another was renamed."""
    lost = {id(each.before): each for each in found if each.after is None}
    renamed = {id(each.after) for each in found if id(each.after) in lost}
    for each in found:
        if each.after is not None:
            yield (lost[id(each.after)], each) if id(each.after) in lost else (each,)
        elif id(each.before) not in renamed:
            yield (each,)


def _content(node: Node, rng: random.Random | None, *, everything: bool) -> tuple[bytes, int]:
    """What may be left of a file, with its time."""
    body, time = node.now
    old = node.lasting or (b"", time)
    if node.lasting == node.now or everything:
        return body, time
    if rng is None:
        return old  # type: ignore[no-any-return]
    torn = body[: rng.randrange(len(body) + 1)]
    return rng.choice([old, (body, time), (torn, time), (bytes(len(body)), time)])
