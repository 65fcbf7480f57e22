"""What it takes to install one model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from edged.errors import BadInputError
from edged.io.fetch import Artefact


@dataclass(frozen=True, slots=True)
class Recipe:
    """A model as published and how it becomes the one edged runs.

    A change of `version`, artefacts, precision or `converter_version` makes an installed model another one:
    it is built again.

    `unpack(artefacts by name, folder)` lays out the sources; a folder `licences` among them goes into the
    model as it is. `precisions` says in the manifest's words what each choice of weights is; `weights` is the
    one to build. `converter` are Python's arguments for the child that converts: it gets `weights`, the
    sources, the output folder and its parent's process id appended (see conversion.py). `needs` are modules
    the child imports that edged itself does not need. `work_bytes`: unpacked sources and converted model.
    """

    name: str
    version: str
    licence: str
    weights: str
    precisions: Mapping[str, str]
    sample_rate_hz: int
    artefacts: tuple[Artefact, ...]
    work_bytes: int
    unpack: Callable[[Mapping[str, Path], Path], None]
    converter: tuple[str, ...]
    converter_version: str
    needs: tuple[str, ...]

    @property
    def precision(self) -> str:
        """What the manifest says of the chosen weights."""
        return self.precisions[self.weights]

    def with_weights(self, weights: str) -> Recipe:
        """The same model in another precision. Raises BadInputError when it has no such one."""
        if weights not in self.precisions:
            raise BadInputError(
                f"{self.name}: no build with {weights} weights", f"one of: {', '.join(self.precisions)}"
            )
        return replace(self, weights=weights)
