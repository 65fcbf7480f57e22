"""What the reference said, as `tests/reference/make_golden.py` wrote it down."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.parity.cases import CHECKPOINTS, Case, fingerprint

Floats = NDArray[np.float32]
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Spoken:
    """The reference's record of one case; see `Utterance` in tests/reference/reference.py."""

    embeds: Floats
    trailing: Floats
    pad: Floats
    codes: NDArray[np.uint16]
    hidden: Floats
    ended: NDArray[np.bool_]


class Golden:
    """A folder of golden files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
        self._spoken = {name: self._arrays(name) for name in CHECKPOINTS}
        self.windows = {int(frames): samples for frames, samples in self._arrays("vocoder").items()}
        self.draws = self._arrays("draws")

    def spoken(self, case: Case) -> Spoken:
        """What the reference was fed and said."""
        arrays = self._spoken[case.checkpoint]
        return Spoken(**{name: arrays[f"{case.name}/{name}"] for name in Spoken.__slots__})

    def write_checkpoint(self, name: str, folder: Path) -> Path:
        """The checkpoint the reference ran on, made again; fails if it no longer comes out the same."""
        CHECKPOINTS[name].write(folder, self._about["seed"])
        assert fingerprint(folder) == self._about["checkpoints"][name], (
            f"{name}: tests/fakes/qwen3_checkpoint.py or numpy's generator now makes another checkpoint than "
            f"the one the golden files are from (made with {self._about['made_with']}). "
            "Make them again: .venv-reference/bin/python tests/reference/make_golden.py"
        )
        return folder

    def _arrays(self, name: str) -> Arrays:
        with np.load(self._folder / f"{name}.npz") as arrays:
            return dict(arrays)
