"""YAML files that a site writes: scalars as they are written, and the line of every key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import ComposerError

from edged.text.problem import Problem


class _Loader(yaml.SafeLoader):
    """Without aliases: a few of them, nested, are a document of any size."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise ComposerError(None, None, "no aliases in this file", mark)
        return super().compose_node(parent, index)


@dataclass(slots=True)
class SiteFile:
    """A YAML file with every scalar as it is written (015, 14:05, yes), and the line of every key."""

    path: Path
    data: Any = None
    lines: dict[tuple[str, ...], int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def told(self, problems: Sequence[Problem]) -> list[str]:
        """Every problem of the file as `FILE:LINE KEY: reason`, those found while reading it as well."""
        return [self._told(problem) for problem in sorted([*self.problems, *problems], key=self._line_of)]

    def _told(self, problem: Problem) -> str:
        key = ".".join(problem.where)
        return f"{self.path}:{self._line_of(problem)}{f' {key}' if key else ''}: {problem.reason}"

    def _line_of(self, problem: Problem) -> int:
        ways = (problem.where[:n] for n in range(len(problem.where), 0, -1))
        return next((self.lines[way] for way in ways if way in self.lines), 1)


def read_site_file(file: Path) -> SiteFile | str:
    """What `file` holds, or why it cannot be read as a whole. Never raises for what it holds."""
    document = SiteFile(file)
    try:
        if file.exists() and not file.is_file():  # a FIFO would keep us waiting for its writer
            return f"{file}: no regular file"
        node = yaml.compose(file.read_text(encoding="utf-8"), Loader=_Loader)
        document.data = {} if node is None else _plain(node, (), document)
    except RecursionError:
        return f"{file}: nested too deeply"
    except OSError as error:
        return f"{file}: {error.strerror}"
    except UnicodeDecodeError as error:
        return f"{file}: not UTF-8 (byte {error.start})"
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        return f"{file}:{line}: {error.problem or error.context}"
    except yaml.YAMLError as error:
        return f"{file}: {error}"
    return document


def encodable(text: str) -> str:
    """Halves of characters become U+FFFD, as those in a request; file names can hold some too."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _plain(node: yaml.Node, where: tuple[str, ...], document: SiteFile) -> Any:
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, where, document) for item in node.value]
    if not isinstance(node, yaml.MappingNode):
        return encodable(node.value)
    mapping: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = (*where, encodable(str(key_node.value)))
        if key[-1] in mapping:
            document.problems.append(Problem(key, "given twice"))
        document.lines[key] = key_node.start_mark.line + 1
        mapping[key[-1]] = _plain(value_node, key, document)
    return mapping
