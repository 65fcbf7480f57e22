"""What a Kokoro model folder holds: file names, `model.json` and the vocabulary."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from edged.engine.base import VoiceInfo
from edged.engine.kokoro.source import HarmonicMix
from edged.errors import ModelUnavailableError, UnknownVoiceError
from edged.text.sentence import Lang

SPEC_FILE = "model.json"
VOCABULARY_FILE = "vocab.json"
HARMONICS_FILE = "harmonics.npy"
VOICES_FOLDER = "voices"
TEXT_FILE, FRAMES_FILE, GENERATOR_FILE = "text.xml", "frames.xml", "generator.xml"

FORMAT = 1  # raised when a folder made by an older converter can no longer be read
_REINSTALL = "edged model install kokoro"
STYLE_SHAPE = (510, 256)


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class VoiceEntry(_Entry):
    """A style pack of the folder."""

    name: str
    langs: tuple[Lang, ...]
    description: str


class ModelSpec(_Entry):
    """`model.json`. `generator_frames`: the longest speech at once, in 12.5 ms frames."""

    format: int = Field(FORMAT, ge=FORMAT, le=FORMAT)
    name: str
    sample_rate_hz: int
    precision: str
    converter: str
    generator_frames: int = Field(gt=0)
    voices: tuple[VoiceEntry, ...] = Field(min_length=1)


class _Vocabulary(BaseModel):
    """`vocab.json` as published."""

    vocab: dict[str, int]


class ModelFiles:
    """Read access to a model folder. Everything missing or damaged is a ModelUnavailableError."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            self.spec = ModelSpec.model_validate_json(self.path(SPEC_FILE).read_bytes())
        except ValidationError as error:
            raise self._damaged(SPEC_FILE, str(error)) from error
        self._voices = {voice.name: voice for voice in self.spec.voices}

    @property
    def voices(self) -> tuple[VoiceInfo, ...]:
        """The voices, default of each language first."""
        return tuple(VoiceInfo(v.name, v.langs, v.description) for v in self.spec.voices)

    @cached_property
    def vocabulary(self) -> dict[str, int]:
        """Phoneme character -> token id."""
        try:
            return _Vocabulary.model_validate_json(self.path(VOCABULARY_FILE).read_bytes()).vocab
        except ValidationError as error:
            raise self._damaged(VOCABULARY_FILE, str(error)) from error

    def harmonics(self) -> HarmonicMix:
        """The mix of the excitation's harmonics."""
        try:
            return HarmonicMix.load(self.path(HARMONICS_FILE))
        except ValueError as error:
            raise self._damaged(HARMONICS_FILE, str(error)) from error

    def style_pack(self, voice: str) -> np.memmap[Any, np.dtype[np.float32]]:
        """The voice's styles [510, 256], one row per number of tokens. Raises UnknownVoiceError."""
        if voice not in self._voices:
            raise UnknownVoiceError(f"kokoro has no voice {voice!r}", f"one of: {', '.join(self._voices)}")
        name = f"{VOICES_FOLDER}/{voice}.npy"
        try:
            pack = np.load(self.path(name), mmap_mode="r")
        except ValueError as error:
            raise self._damaged(name, str(error)) from error
        if pack.shape != STYLE_SHAPE or pack.dtype != np.float32:
            raise self._damaged(name, f"it is {pack.dtype}{list(pack.shape)}")
        return pack  # type: ignore[no-any-return]

    def path(self, name: str) -> Path:
        """The path of a file that must be there."""
        path = self.folder / name
        if not path.is_file():
            raise ModelUnavailableError(
                f"{path}: no such file, so this is no complete Kokoro model", _REINSTALL
            )
        return path

    def _damaged(self, name: str, reason: str) -> ModelUnavailableError:
        return ModelUnavailableError(f"{self.folder / name}: damaged: {reason}", f"{_REINSTALL} --force")
