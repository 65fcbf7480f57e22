"""A published checkpoint: a folder whose files are all there, belong together and hold what the graphs need.

Only configurations, the tokenizer and the headers of the safetensors files are read here, so that a wrong
folder is refused within a second; values are read by tensors.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from safetensors import SafetensorError, safe_open

from edged.engine.qwen3.config import ModelConfig, Sampling, SpeechTokenizerConfig, TalkerConfig, parse
from edged.engine.qwen3.layout import (
    UNUSED_MODEL_PREFIXES,
    UNUSED_TOKENIZER_PREFIXES,
    Layout,
    Shape,
    model_layout,
    vocoder_layout,
)
from edged.engine.qwen3.tokenizer import MERGES_FILE, TOKENIZER_CONFIG_FILE, VOCABULARY_FILE, Tokenizer
from edged.errors import ConversionError, ModelUnavailableError

CONFIG_FILE = "config.json"
GENERATION_FILE = "generation_config.json"
WEIGHTS_FILE = "model.safetensors"
SPEECH_CONFIG_FILE = "speech_tokenizer/config.json"
SPEECH_WEIGHTS_FILE = "speech_tokenizer/model.safetensors"
TOKENIZER_FILES = (VOCABULARY_FILE, MERGES_FILE)
OPTIONAL_FILES = (TOKENIZER_CONFIG_FILE,)
REQUIRED_FILES = (
    CONFIG_FILE,
    GENERATION_FILE,
    *TOKENIZER_FILES,
    WEIGHTS_FILE,
    SPEECH_CONFIG_FILE,
    SPEECH_WEIGHTS_FILE,
)

DTYPES = ("BF16", "F16", "F32")  # the types weights are published in
_SHOWN = 4  # names of one kind in a message
_PROBE = "hello the user is open"  # words that every vocabulary has in pieces larger than a letter
_FETCH_AGAIN = "fetch the file again, or compare its SHA-256 with the published one"
_READABLE = "make it readable"
_OTHER_MODEL = "is this a Qwen3-TTS 12 Hz checkpoint, complete and unchanged?"


class Tensor(NamedTuple):
    """What a file's header says of one tensor."""

    dtype: str
    shape: Shape


@dataclass(frozen=True, slots=True)
class TensorFile:
    """A safetensors file and the tensors of it that are used."""

    path: Path
    tensors: Mapping[str, Tensor]

    @property
    def bfloat16(self) -> bool:
        """Whether every tensor is stored in bfloat16."""
        return all(tensor.dtype == "BF16" for tensor in self.tensors.values())


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """An opened checkpoint; every tensor the graphs ask for is there in the right shape."""

    folder: Path
    config: ModelConfig
    speech: SpeechTokenizerConfig
    sampling: Sampling
    weights: TensorFile
    vocoder_weights: TensorFile

    @property
    def files(self) -> tuple[str, ...]:
        """The files that conversion reads, as relative POSIX paths."""
        return (*REQUIRED_FILES, *(name for name in OPTIONAL_FILES if (self.folder / name).is_file()))


def open_checkpoint(folder: Path) -> Checkpoint:
    """Open and check the checkpoint in `folder`. Raises ConversionError: what is wrong with which file."""
    _require_files(folder)
    config = parse(ModelConfig, _read_json(folder / CONFIG_FILE), CONFIG_FILE)
    speech = parse(SpeechTokenizerConfig, _read_json(folder / SPEECH_CONFIG_FILE), SPEECH_CONFIG_FILE)
    sampling = parse(Sampling, _read_json(folder / GENERATION_FILE), GENERATION_FILE)
    _require_match(config.talker_config, speech, sampling)
    _require_tokenizer(folder, config)
    return Checkpoint(
        folder=folder,
        config=config,
        speech=speech,
        sampling=sampling,
        weights=_open_tensors(folder / WEIGHTS_FILE, model_layout(config), UNUSED_MODEL_PREFIXES),
        vocoder_weights=_open_tensors(
            folder / SPEECH_WEIGHTS_FILE, vocoder_layout(speech.decoder_config), UNUSED_TOKENIZER_PREFIXES
        ),
    )


def _require_files(folder: Path) -> None:
    try:
        missing = [name for name in REQUIRED_FILES if not (folder / name).is_file()]
    except OSError as error:  # a folder that may not be searched
        raise ConversionError(f"{error.filename or folder}: {error.strerror}", _READABLE) from error
    if missing:
        raise ConversionError(
            f"{folder}: missing {', '.join(missing)}", "copy the whole folder as it is published"
        )


def _require_match(talker: TalkerConfig, speech: SpeechTokenizerConfig, sampling: Sampling) -> None:
    """Raise ConversionError when the three configurations are not of one model."""
    quantizers, codes = speech.decoder_config.num_quantizers, talker.code_predictor_config.vocab_size
    if quantizers != talker.num_code_groups:
        raise ConversionError(
            f"{SPEECH_CONFIG_FILE}: {quantizers} quantizers, but {CONFIG_FILE} has "
            f"{talker.num_code_groups} code groups",
            "take both from the same checkpoint",
        )
    if sampling.subtalker_top_k > codes:
        raise ConversionError(
            f"{GENERATION_FILE}: subtalker_top_k is {sampling.subtalker_top_k}, but {CONFIG_FILE} has "
            f"{codes} codes to choose from",
            "take both from the same checkpoint; 0 keeps every code",
        )


def _require_tokenizer(folder: Path, config: ModelConfig) -> None:
    """Raise ConversionError when the tokenizer's files make none, or one of another model."""
    tokens = config.talker_config.text_vocab_size
    vocabulary = _read_json(folder / VOCABULARY_FILE)
    ids = list(vocabulary.values()) if isinstance(vocabulary, dict) else []
    if not ids or not all(isinstance(index, int) and 0 <= index < tokens for index in ids):
        raise ConversionError(f"{folder / VOCABULARY_FILE}: no vocabulary of {tokens} tokens", _FETCH_AGAIN)
    if (folder / TOKENIZER_CONFIG_FILE).exists():
        _read_json(folder / TOKENIZER_CONFIG_FILE)
    try:
        tokenizer = Tokenizer(folder, config)
    except ModelUnavailableError as error:
        raise ConversionError(error.what, _FETCH_AGAIN) from error
    if not all(0 <= index < tokens for index in tokenizer.control_ids):
        raise ConversionError(
            f"{folder / TOKENIZER_CONFIG_FILE}: a control token is beyond {tokens} tokens", _FETCH_AGAIN
        )
    if not 0 < len(tokenizer(_PROBE)) < len(_PROBE):
        raise ConversionError(
            f"{folder / MERGES_FILE}, {VOCABULARY_FILE}: {_PROBE!r} does not become tokens", _FETCH_AGAIN
        )


def _read_json(path: Path) -> object:
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise ConversionError(f"{path}: {error.strerror}", _READABLE) from error
    except (ValueError, RecursionError) as error:  # of json, or bytes that are no UTF-8
        raise ConversionError(f"{path}: not JSON: {error}", _FETCH_AGAIN) from error


def _open_tensors(path: Path, layout: Layout, unused_prefixes: tuple[str, ...]) -> TensorFile:
    tensors = {
        name: tensor for name, tensor in _read_header(path).items() if not name.startswith(unused_prefixes)
    }
    _compare(path, tensors, layout)
    return TensorFile(path, tensors)


def _read_header(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file. Raises ConversionError when it is none or was cut short."""
    try:
        path.open("rb").close()  # the library calls every file that it cannot open missing
        with safe_open(path, framework="np") as file:
            slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 - it is no dict
            return {
                name: Tensor(slice_.get_dtype(), tuple(slice_.get_shape())) for name, slice_ in slices.items()
            }
    except OSError as error:
        raise ConversionError(f"{path}: {error.strerror or error}", _READABLE) from error
    except SafetensorError as error:
        size_bytes = path.stat().st_size
        raise ConversionError(
            f"{path}: cut short or no safetensors file ({size_bytes} bytes): {error}", _FETCH_AGAIN
        ) from error


def _compare(path: Path, tensors: Mapping[str, Tensor], layout: Layout) -> None:
    """Raise ConversionError when the tensors are not those of the layout; names every kind of difference."""
    shapes = [
        f"{name} is {list(tensors[name].shape)}, expected {list(shape)}"
        for name, shape in layout.items()
        if name in tensors and tensors[name].shape != shape
    ]
    types = [
        f"{name} is {tensor.dtype}, expected {' or '.join(DTYPES)}"
        for name, tensor in tensors.items()
        if tensor.dtype not in DTYPES
    ]
    problems = [
        *_brief("missing tensors", [name for name in layout if name not in tensors]),
        *_brief("unknown tensors", [name for name in tensors if name not in layout]),
        *_brief("shapes", shapes),
        *_brief("types", types),
    ]
    if problems:
        raise ConversionError(f"{path}: {'; '.join(problems)}", _OTHER_MODEL)


def _brief(kind: str, entries: Iterable[str]) -> list[str]:
    """The kind with its first entries and the number of the others; nothing when there are none."""
    listed = list(entries)
    if not listed:
        return []
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return [f"{kind}: {', '.join(listed[:_SHOWN])}{more}"]
