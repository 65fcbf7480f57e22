"""YAML files -> Config, or every problem at once with its file and line.

Search order without an explicit path: $EDGED_CONFIG, <virtual environment>/etc/edged.yaml,
/etc/edged/edged.yaml, built-in defaults. Files in `conf.d/*.yaml` beside the configuration file are
merged over it in name order, so a package or a technician can add one setting without editing the rest.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from edged.config.schema import Config
from edged.errors import ConfigError

SYSTEM_CONFIG = Path("/etc/edged/edged.yaml")
KeyPath = tuple[str | int, ...]


@dataclass(slots=True)
class _Source:
    """The merged document, where each key came from, and what was wrong with the files themselves."""

    data: dict[str, Any] = field(default_factory=dict)
    places: dict[KeyPath, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def find_config() -> Path | None:
    """The configuration file that applies when none is named; None means built-in defaults."""
    named = os.environ.get("EDGED_CONFIG")
    if named:
        return Path(named)
    candidates = (Path(sys.prefix) / "etc" / "edged.yaml", SYSTEM_CONFIG)
    return next((path for path in candidates if path.is_file()), None)


def load_config(path: Path | None = None) -> Config:
    """Read and validate the configuration. Raises ConfigError with all problems, each with file:line."""
    path = path if path is not None else find_config()
    if path is None:
        return Config()
    source = _Source()
    for file in [path, *sorted((path.parent / "conf.d").glob("*.yaml"))]:
        _read(file, source)
    config = _validate(source, path)
    if source.problems or config is None:
        raise ConfigError(source.problems)
    return _anchor_paths(config, path.parent)


def _read(file: Path, source: _Source) -> None:
    try:
        node = yaml.compose(file.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
        _merge_document(node, file, source)
    except RecursionError:
        source.problems.append(f"{file}: nested too deeply, or a section contains itself")
    except OSError as error:
        source.problems.append(f"{file}: {error.strerror}")
    except UnicodeDecodeError as error:
        source.problems.append(f"{file}: not UTF-8 (byte {error.start})")
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        source.problems.append(f"{file}:{line}: {error.problem or error.context}")
    except yaml.YAMLError as error:
        source.problems.append(f"{file}: {error}")


def _merge_document(node: yaml.Node | None, file: Path, source: _Source) -> None:
    if node is None:
        return
    if not isinstance(node, yaml.MappingNode):
        source.problems.append(f"{file}:{node.start_mark.line + 1}: expected sections like `audio:`")
        return
    _merge_mapping(node, (), source.data, file, source)


def _merge_mapping(
    node: yaml.MappingNode, path: KeyPath, into: dict[str, Any], file: Path, source: _Source
) -> None:
    seen: set[str] = set()
    for key_node, value_node in node.value:
        key = str(key_node.value)
        where = f"{file}:{key_node.start_mark.line + 1}"
        if key in seen:
            source.problems.append(f"{where} {_dotted((*path, key))}: given twice in this file")
        seen.add(key)
        source.places[(*path, key)] = where
        if isinstance(value_node, yaml.MappingNode):
            child = into.get(key)
            into[key] = child if isinstance(child, dict) else {}
            _merge_mapping(value_node, (*path, key), into[key], file, source)
        else:
            into[key] = _plain(value_node, where, source)


def _plain(node: yaml.Node, where: str, source: _Source) -> Any:
    """A scalar or list node as Python data; what it cannot be is a problem, not a crash."""
    loader = yaml.SafeLoader("")
    try:
        return loader.construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError) as error:
        source.problems.append(f"{where}: {getattr(error, 'problem', None) or error}")
        return None
    finally:
        loader.dispose()


def _validate(source: _Source, path: Path) -> Config | None:
    # an empty section ("audio:") means its defaults
    data = {key: {} if value is None else value for key, value in source.data.items()}
    try:
        return Config.model_validate(data)
    except ValidationError as error:
        source.problems += [_describe(detail, source.places, path) for detail in error.errors()]
        return None


def _describe(detail: ErrorDetails, places: Mapping[KeyPath, str], path: Path) -> str:
    location = detail["loc"]
    known = next((location[:n] for n in range(len(location), 0, -1) if location[:n] in places), ())
    where = places.get(known, str(path))
    if detail["type"] == "extra_forbidden":
        return f"{where} {_dotted(location)}: unknown key{_suggestion(location)}"
    message = detail["msg"].removeprefix("Value error, ")
    if detail["type"] == "value_error":
        return f"{where} {_dotted(location)}: {message}"
    return f"{where} {_dotted(location)} = {detail['input']!r}: {message[0].lower()}{message[1:]}"


def _suggestion(location: KeyPath) -> str:
    section: type[BaseModel] = Config
    for part in location[:-1]:
        annotation = section.model_fields[str(part)].annotation
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            return ""
        section = annotation
    close = difflib.get_close_matches(str(location[-1]), section.model_fields, n=1)
    return f", did you mean `{close[0]}`?" if close else f"; known here: {', '.join(section.model_fields)}"


def _dotted(location: KeyPath) -> str:
    return ".".join(str(part) for part in location)


def _anchor_paths(config: Config, folder: Path) -> Config:
    """Make relative paths start at the configuration file's folder, wherever edged was started."""
    base = folder.resolve()
    anchored = {
        name: section.model_copy(
            update={
                key: Path(os.path.normpath(base / path)) for key, path in section if isinstance(path, Path)
            }
        )
        for name, section in config
        if isinstance(section, BaseModel)  # outputs have no paths
    }
    return config.model_copy(update=anchored)
