"""Config -> YAML text: the commented reference file and what `edged config show` prints."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import yaml
from pydantic import BaseModel

from edged.config.schema import Config

_HEADER = """\
# edged: every setting with its default. Generated from the schema (edged config show --reference);
# keep what you change, delete the rest: a missing key means its default.
# Files in conf.d/*.yaml beside this one are merged over it. Check with: edged config check
"""
_WIDTH = 100


def reference_yaml() -> str:
    """config/edged.yaml: every key, commented, with its default."""
    return _HEADER + "".join(_section_lines(Config()))


def effective_yaml(config: Config) -> str:
    """The configuration in effect, without comments."""
    return yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


def _section_lines(config: Config) -> Iterator[str]:
    for name, field in type(config).model_fields.items():
        section = getattr(config, name)
        if not isinstance(section, BaseModel):  # sections by names of the site's own
            yield f"\n{_comment(field.description or '', indent='')}{name}: {_scalar(section)}\n"
            continue
        yield f"\n{_comment((type(section).__doc__ or '').strip(), indent='')}{name}:\n"
        for key, info in type(section).model_fields.items():
            value = section.model_dump(mode="json")[key]
            yield f"{_comment(info.description or '', indent='  ')}  {key}: {_scalar(value)}\n"


def _comment(text: str, indent: str) -> str:
    prefix = f"{indent}# "
    return "\n".join(textwrap.wrap(text, _WIDTH, initial_indent=prefix, subsequent_indent=prefix)) + "\n"


def _scalar(value: Any) -> str:
    dumped = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True)
    return dumped.removesuffix("...\n").strip()
