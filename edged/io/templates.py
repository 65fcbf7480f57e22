"""Announcement templates from the package and from the site's folder."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from edged.io.site_file import encodable, read_site_file
from edged.text.template_file import read_templates
from edged.text.templates import Template, Templates


@dataclass(frozen=True, slots=True)
class LoadedTemplates:
    """What is good of all files, and every problem as `FILE:LINE KEY: reason`."""

    templates: Templates
    problems: tuple[str, ...]


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
    return LoadedTemplates(Templates(found), tuple(map(encodable, problems)))


def read_template_file(file: Path) -> tuple[dict[str, Template], list[str]]:
    """The good templates of one file, and every problem of it as `FILE:LINE KEY: reason`."""
    document = read_site_file(file)
    if isinstance(document, str):
        return {}, [document]
    templates, problems = read_templates(document.data)
    return templates, document.told(problems)
