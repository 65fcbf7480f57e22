"""What a Qwen3-TTS model folder holds: file names, `model.json` and the published configurations."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from itertools import chain
from pathlib import Path
from tokenize import TokenError
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
_VOICE_NAME = re.compile(r"(?!\.)[\w.-]{1,64}")
_MOST_VOICES = 256  # with the longest names, they fit the 256 KiB of a message between processes
# what numpy raises, beside ValueError, where the header of a .npy file is damaged
_BAD_HEADER = (TokenError, SyntaxError, TypeError, OverflowError)

_log = logging.getLogger(__name__)

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

    `voices_dir` has further voices for a Base model beside those it came with: NAME.npy, a float32 speaker
    embedding [hidden]. NAME is 1 to 64 letters and digits of any script, `_`, `-` and `.`, the first no `.`.
    They are read once; a file that is no voice, and any after the first 256 voices, is left out with a
    warning.
    """

    def __init__(self, folder: Path, voices_dir: Path | None = None) -> None:
        self.folder = folder
        self._voice_folders = [folder / VOICES_FOLDER, *([voices_dir] if voices_dir else [])]
        self._x_vectors: dict[str, NDArray[np.float32]] = {}
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
        if voice not in self._x_vectors:
            raise UnknownVoiceError(
                f"the model has no voice {voice!r}", f"one of: {', '.join(self._x_vectors)}"
            )
        return self._x_vectors[voice]

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
        """Reads the x-vectors; the model's own come first and cannot be replaced."""
        refused: list[str] = []
        for path in chain.from_iterable(sorted(folder.glob("*.npy")) for folder in self._voice_folders):
            if path.stem in self._x_vectors:
                continue
            if len(self._x_vectors) == _MOST_VOICES:
                _log.warning("%r and all after it left out: %d voices are the most", str(path), _MOST_VOICES)
                break
            try:
                self._x_vectors[path.stem] = _x_vector(path, self.config.x_vector_size)
            except (ValueError, OSError) as error:
                refused.append(f"{str(path)!r} is no voice: {error}")
                _log.warning("%s; left out until it is put right or removed", refused[-1])
        if not self._x_vectors:
            none = f"{self._voice_folders[-1]}: a Base model speaks with cloned voices only, and has none"
            raise ModelUnavailableError(
                "; ".join([none, *refused[:1]]),
                "install a customvoice model, or put speaker embeddings there as NAME.npy",
            )
        return tuple(
            VoiceInfo(name, _BOTH, "cloned voice", hashlib.sha256(x_vector.tobytes()).hexdigest())
            for name, x_vector in self._x_vectors.items()
        )

    def _parsed(self, section: type[_Section], name: str) -> _Section:
        try:
            return parse(section, json.loads(self.path(name).read_bytes()), name)
        except ValueError as error:
            raise self._damaged(name, str(error)) from error
        except ConversionError as error:
            raise self._damaged(name, error.what) from error

    def _array(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
        try:
            return _mapped(self.path(name), shape)
        except (ValueError, OSError) as error:
            raise self._damaged(name, str(error)) from error

    def _damaged(self, name: str, reason: str) -> ModelUnavailableError:
        return ModelUnavailableError(f"{self.folder / name}: damaged: {reason}", _REINSTALL)


def _x_vector(path: Path, size: int) -> NDArray[np.float32]:
    """The speaker embedding [size] of a file. Raises ValueError and OSError."""
    if not _VOICE_NAME.fullmatch(path.stem):
        raise ValueError("its name is not 1 to 64 letters, digits, '_', '-' and '.', the first no '.'")
    if not path.is_file():
        raise ValueError("it is no file")
    x_vector = np.array(_mapped(path, (size,)))
    if not np.isfinite(x_vector).all():
        raise ValueError("it holds values that are NaN or infinite")
    return x_vector


def _mapped(path: Path, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """The array of a .npy file, mapped. Raises ValueError and OSError."""
    try:
        array: NDArray[Any] = np.lib.format.open_memmap(path, mode="r")
    except _BAD_HEADER as error:
        raise ValueError(f"its header is damaged: {error}") from error
    if array.shape != shape or array.dtype != np.float32:
        order = "big-endian " if array.dtype.str.startswith(">") else ""
        found = f"{order}{array.dtype.newbyteorder('=')}{list(array.shape)}"
        raise ValueError(f"it is {found}, not float32{list(shape)}")
    return array


def _rank(speaker: str) -> tuple[int, str]:
    known = list(_SPEAKERS)
    return (known.index(speaker) if speaker in known else len(known), speaker)
