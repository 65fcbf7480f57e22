"""What a Qwen3-TTS model folder holds: file names, `model.json` and the published configurations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from edged.engine.base import VoiceInfo
from edged.engine.qwen3.config import ModelConfig, Sampling, SpeechTokenizerConfig, VocoderConfig, parse
from edged.errors import ConversionError, ModelUnavailableError, UnknownVoiceError
from edged.text.sentence import Lang

SPEC_FILE = "model.json"
CONFIG_FILE = "config.json"
SPEECH_TOKENIZER_CONFIG_FILE = "speech_tokenizer_config.json"
GENERATION_CONFIG_FILE = "generation_config.json"
TALKER_FILE, PREDICTOR_FILE = "talker.xml", "predictor.xml"
TEXT_TABLE_FILE = "text_table.npy"
CODEC_EMBEDDING_FILE = "codec_embedding.npy"
VOICES_FOLDER = "voices"

FORMAT = 1  # raised when a folder made by an older converter can no longer be read
DESIGN_VOICE = "design"
_REINSTALL = "edged model install NAME --force"

_Section = TypeVar("_Section", bound=BaseModel)
_BOTH: tuple[Lang, ...] = ("zh", "en")
# the speakers as published: what each was made for; all of them speak every language of the model
_SPEAKERS: dict[str, tuple[tuple[Lang, ...], str]] = {
    "serena": (("zh",), "woman, warm and gentle"),
    "vivian": (("zh",), "young woman, bright"),
    "uncle_fu": (("zh",), "older man, low and mellow"),
    "dylan": (("zh",), "young man, Beijing dialect"),
    "eric": (("zh",), "man, Sichuan dialect"),
    "ryan": (("en",), "man, lively"),
    "aiden": (("en",), "man, American, clear"),
    "ono_anna": ((), "woman, Japanese"),
    "sohee": ((), "woman, Korean"),
}


class ModelSpec(BaseModel):
    """`model.json`: `precision` in words, `parts` the precision of talker, predictor and vocoder by name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = Field(FORMAT, ge=FORMAT, le=FORMAT)
    name: str
    sample_rate_hz: int = Field(gt=0)
    precision: str
    parts: dict[str, str]
    converter: str


class ModelFiles:
    """Read access to a model folder. Everything missing or damaged is a ModelUnavailableError.

    `voices_dir` has further voices for a Base model, NAME.npy, beside those it came with.
    """

    def __init__(self, folder: Path, voices_dir: Path | None = None) -> None:
        self.folder = folder
        self._voice_folders = [folder / VOICES_FOLDER, *([voices_dir] if voices_dir else [])]
        self.spec = self._parsed(ModelSpec, SPEC_FILE)
        self.config = self._parsed(ModelConfig, CONFIG_FILE)
        self.sampling = self._parsed(Sampling, GENERATION_CONFIG_FILE)
        self.voices = self._voices()

    @property
    def vocoder(self) -> VocoderConfig:
        """Shapes of the vocoder."""
        return self._parsed(SpeechTokenizerConfig, SPEECH_TOKENIZER_CONFIG_FILE).decoder_config

    def codec_embedding(self) -> NDArray[np.float32]:
        """Embeddings of the codec vocabulary, [vocabulary, hidden], mapped from the file."""
        talker = self.config.talker_config
        return self._array(CODEC_EMBEDDING_FILE, (talker.vocab_size, talker.hidden_size))

    def x_vector(self, voice: str) -> NDArray[np.float32]:
        """The speaker embedding [hidden] of a voice of a Base model. Raises UnknownVoiceError."""
        vectors = self._x_vectors()
        if voice not in vectors:
            raise UnknownVoiceError(f"the model has no voice {voice!r}", f"one of: {', '.join(vectors)}")
        return self._array(str(vectors[voice]), (self.config.x_vector_size,))

    def path(self, name: str) -> Path:
        """The path of a file that must be there."""
        path = self.folder / name
        if not path.is_file():
            raise ModelUnavailableError(
                f"{path}: no such file, so this is no complete Qwen3-TTS model", _REINSTALL
            )
        return path

    def _voices(self) -> tuple[VoiceInfo, ...]:
        """The voices, the default of each language first."""
        match self.config.tts_model_type:
            case "custom_voice":
                names = sorted(self.config.talker_config.spk_id, key=_rank)
                return tuple(VoiceInfo(name, *_SPEAKERS.get(name, (_BOTH, ""))) for name in names)
            case "voice_design":
                return (VoiceInfo(DESIGN_VOICE, _BOTH, "as the option `instruct` describes it"),)
            case "base":
                return self._cloned_voices()

    def _cloned_voices(self) -> tuple[VoiceInfo, ...]:
        names = list(self._x_vectors())
        if not names:
            raise ModelUnavailableError(
                f"{self._voice_folders[-1]}: a Base model speaks with cloned voices only, and has none",
                "install a customvoice model, or put speaker embeddings there as NAME.npy",
            )
        return tuple(VoiceInfo(name, _BOTH, "cloned voice") for name in names)

    def _x_vectors(self) -> dict[str, Path]:
        """The files of the cloned voices by name; the model's own come first and cannot be replaced."""
        found: dict[str, Path] = {}
        for folder in self._voice_folders:
            for path in sorted(folder.glob("*.npy")):
                found.setdefault(path.stem, path)
        return found

    def _parsed(self, section: type[_Section], name: str) -> _Section:
        try:
            return parse(section, json.loads(self.path(name).read_bytes()), name)
        except ValueError as error:
            raise self._damaged(name, str(error)) from error
        except ConversionError as error:
            raise self._damaged(name, error.what) from error

    def _array(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
        try:
            array: NDArray[Any] = np.load(self.path(name), mmap_mode="r")
        except ValueError as error:
            raise self._damaged(name, str(error)) from error
        if array.shape != shape or array.dtype != np.float32:
            raise self._damaged(name, f"it is {array.dtype}{list(array.shape)}, not float32{list(shape)}")
        return array

    def _damaged(self, name: str, reason: str) -> ModelUnavailableError:
        return ModelUnavailableError(f"{self.folder / name}: damaged: {reason}", _REINSTALL)


def _rank(speaker: str) -> tuple[int, str]:
    known = list(_SPEAKERS)
    return (known.index(speaker) if speaker in known else len(known), speaker)
