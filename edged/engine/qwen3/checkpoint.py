"""A published checkpoint: a folder whose files are all there, belong together and hold what the graphs need.

Only configurations and the headers of the safetensors files are read here, so that a wrong folder is refused
in milliseconds; values are read by tensors.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from safetensors import SafetensorError, safe_open

from edged.engine.qwen3.config import ModelConfig, Sampling, SpeechTokenizerConfig, parse
from edged.engine.qwen3.layout import (
    UNUSED_MODEL_PREFIXES,
    UNUSED_TOKENIZER_PREFIXES,
    Layout,
    Shape,
    model_layout,
    vocoder_layout,
)
from edged.errors import ConversionError

CONFIG_FILE = "config.json"
GENERATION_FILE = "generation_config.json"
WEIGHTS_FILE = "model.safetensors"
SPEECH_CONFIG_FILE = "speech_tokenizer/config.json"
SPEECH_WEIGHTS_FILE = "speech_tokenizer/model.safetensors"
TOKENIZER_FILES = ("vocab.json", "merges.txt")
OPTIONAL_FILES = ("tokenizer_config.json",)
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
_FETCH_AGAIN = "fetch the file again, or compare its SHA-256 with the published one"
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
    missing = [name for name in REQUIRED_FILES if not (folder / name).is_file()]
    if missing:
        raise ConversionError(
            f"{folder}: missing {', '.join(missing)}", "copy the whole folder as it is published"
        )
    config = parse(ModelConfig, _read_json(folder / CONFIG_FILE), CONFIG_FILE)
    speech = parse(SpeechTokenizerConfig, _read_json(folder / SPEECH_CONFIG_FILE), SPEECH_CONFIG_FILE)
    if speech.decoder_config.num_quantizers != config.talker_config.num_code_groups:
        raise ConversionError(
            f"{SPEECH_CONFIG_FILE}: {speech.decoder_config.num_quantizers} quantizers, but {CONFIG_FILE} has "
            f"{config.talker_config.num_code_groups} code groups",
            "take both from the same checkpoint",
        )
    _read_json(folder / "vocab.json")
    return Checkpoint(
        folder=folder,
        config=config,
        speech=speech,
        sampling=parse(Sampling, _read_json(folder / GENERATION_FILE), GENERATION_FILE),
        weights=_open_tensors(folder / WEIGHTS_FILE, model_layout(config), UNUSED_MODEL_PREFIXES),
        vocoder_weights=_open_tensors(
            folder / SPEECH_WEIGHTS_FILE, vocoder_layout(speech.decoder_config), UNUSED_TOKENIZER_PREFIXES
        ),
    )


def _read_json(path: Path) -> object:
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise ConversionError(f"{path}: {error.strerror}", "make it readable") from error
    except ValueError as error:  # of json, or bytes that are no UTF-8
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
        with safe_open(path, framework="np") as file:
            slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 - it is no dict
            return {
                name: Tensor(slice_.get_dtype(), tuple(slice_.get_shape())) for name, slice_ in slices.items()
            }
    except OSError as error:
        raise ConversionError(f"{path}: {error.strerror or error}", "make it readable") from error
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
