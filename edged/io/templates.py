"""Announcement templates from the package and from the site's folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import ComposerError

from edged.text.template_file import Problem, read_templates
from edged.text.templates import Template, Templates


@dataclass(frozen=True, slots=True)
class LoadedTemplates:
    """What is good of all files, and every problem as `FILE:LINE KEY: reason`."""

    templates: Templates
    problems: tuple[str, ...]


class _Loader(yaml.SafeLoader):
    """Without aliases: a few of them, nested, are a document of any size."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise ComposerError(None, None, "no aliases in template files", mark)
        return super().compose_node(parent, index)


@dataclass(slots=True)
class _Document:
    """A YAML file with every scalar as it is written (015, 14:05, yes), and the line of every key."""

    data: Any = None
    lines: dict[tuple[str, ...], int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def load_templates(folder: Path) -> LoadedTemplates:
    """The built-in templates and those of `folder` (*.yaml, by name); a missing folder holds none.

    A template of the site replaces a built-in one. What is wrong with one template leaves the others as
    they are. Never raises for what the files contain.
    """
    with resources.as_file(resources.files("edged.text").joinpath("templates.yaml")) as built_in:
        found, problems = read_template_file(built_in)
    defined_in: dict[str, Path] = {}
    for file in sorted(folder.glob("*.yaml")):
        templates, wrong = read_template_file(file)
        twice = templates.keys() & defined_in.keys()
        problems += [*wrong, *(f"{file} {name}: is already in {defined_in[name]}" for name in sorted(twice))]
        found |= {name: template for name, template in templates.items() if name not in twice}
        defined_in |= dict.fromkeys(templates.keys() - twice, file)
    return LoadedTemplates(Templates(found), tuple(map(_encodable, problems)))


def read_template_file(file: Path) -> tuple[dict[str, Template], list[str]]:
    """The good templates of one file, and every problem of it as `FILE:LINE KEY: reason`."""
    document = _Document()
    try:
        if file.exists() and not file.is_file():  # a FIFO would keep us waiting for its writer
            return {}, [f"{file}: no regular file"]
        node = yaml.compose(file.read_text(encoding="utf-8"), Loader=_Loader)
        document.data = {} if node is None else _plain(node, (), document)
    except RecursionError:
        return {}, [f"{file}: nested too deeply"]
    except OSError as error:
        return {}, [f"{file}: {error.strerror}"]
    except UnicodeDecodeError as error:
        return {}, [f"{file}: not UTF-8 (byte {error.start})"]
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        return {}, [f"{file}:{line}: {error.problem or error.context}"]
    except yaml.YAMLError as error:
        return {}, [f"{file}: {error}"]
    templates, problems = read_templates(document.data)
    return templates, list(_told(file, document, [*document.problems, *problems]))


def _encodable(text: str) -> str:
    """Halves of characters become U+FFFD, as those in a request; file names can hold some too."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _plain(node: yaml.Node, where: tuple[str, ...], document: _Document) -> Any:
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, where, document) for item in node.value]
    if not isinstance(node, yaml.MappingNode):
        return _encodable(node.value)
    mapping: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = (*where, _encodable(str(key_node.value)))
        if key[-1] in mapping:
            document.problems.append(Problem(key, "given twice"))
        document.lines[key] = key_node.start_mark.line + 1
        mapping[key[-1]] = _plain(value_node, key, document)
    return mapping


def _told(file: Path, document: _Document, problems: list[Problem]) -> Iterator[str]:
    def line_of(problem: Problem) -> int:
        ways = (problem.where[:n] for n in range(len(problem.where), 0, -1))
        return next((document.lines[way] for way in ways if way in document.lines), 1)

    for problem in sorted(problems, key=line_of):
        key = ".".join(problem.where)
        yield f"{file}:{line_of(problem)}{f' {key}' if key else ''}: {problem.reason}"
