"""What it takes to install one model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from edged.io.fetch import Artefact


@dataclass(frozen=True, slots=True)
class Recipe:
    """A model as published and how it becomes the one edged runs.

    A change of `version`, artefacts or `converter_version` makes installed models old: they are built again.

    `unpack(artefacts by name, folder)` lays out the sources; a folder `licences` among them goes into the
    model as it is. `converter` are Python's arguments for the child that converts: it gets the sources,
    the output folder and its parent's process id appended (see conversion.py). `needs` are modules the
    child imports that edged itself does not need. `work_bytes`: unpacked sources and converted model.
    """

    name: str
    version: str
    licence: str
    precision: str
    sample_rate_hz: int
    artefacts: tuple[Artefact, ...]
    work_bytes: int
    unpack: Callable[[Mapping[str, Path], Path], None]
    converter: tuple[str, ...]
    converter_version: str
    needs: tuple[str, ...]
