"""A published checkpoint -> the networks and tables edged speaks with. Runs at model installation only.

Networks are built straight from the checkpoint's tensors, one at a time, and every part is put in its place
only when it is complete: a conversion that was killed goes on with the first part that is missing.
"""

from __future__ import annotations

import ctypes
import math
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from edged.engine.qwen3.calibrate import RANGES_FILE, measure_ranges, quantize, read_ranges
from edged.engine.qwen3.checkpoint import SPEECH_CONFIG_FILE, Checkpoint, TensorFile
from edged.engine.qwen3.compress import compress, share_constants
from edged.engine.qwen3.model_files import (
    CODEC_EMBEDDING_FILE,
    PREDICTOR_FILE,
    SPEC_FILE,
    SPEECH_TOKENIZER_CONFIG_FILE,
    TALKER_FILE,
    TEXT_TABLE_FILE,
    ModelSpec,
)
from edged.engine.qwen3.precision import CONVERTER_VERSION, Precision, Precisions
from edged.engine.qwen3.predictor import build_predictor
from edged.engine.qwen3.talker import build_talker
from edged.engine.qwen3.tensors import TensorReader
from edged.engine.qwen3.text_table import write_text_table
from edged.engine.qwen3.vocoder import FEATURES_FILE, WAVEFORM_FILE
from edged.engine.qwen3.vocoder_net import build_features_network, build_waveform_network
from edged.engine.runtime import ov

_UNFINISHED = ".unfinished"
_CODEC_EMBEDDING = "talker.model.codec_embedding.weight"
_PREDICTOR = ("talker.code_predictor.",)
_TALKER = ("talker.model.layers.", "talker.model.norm.", "talker.codec_head.")

_ITEM_BITS = {Precision.INT8: 8, Precision.W8A8: 8, Precision.INT4: 4, Precision.FP16: 16, Precision.FP32: 32}
_KEPT_AT_8_BITS = ("head", "embedding")  # of a 4-bit network, see compress.py
_SPARE = 1.05  # scales, and what a file system adds
_GRAPH_BYTES = 6_000_000  # the .xml of a network: up to 5 MB, for the predictor's 15 steps


@dataclass(frozen=True, slots=True)
class _Part:
    """Something that is built as a whole: its name, its files, about how large, its share of the time.

    `build(folder, progress)` writes the files; `progress` hears the part done, 0 to 1.
    """

    what: str
    files: tuple[str, ...]
    size_bytes: int
    share: float
    build: Callable[[Path, Callable[[float], None]], None]

    def is_complete(self, folder: Path) -> bool:
        """Whether the part is in its place; files get there in order, so the last one says it."""
        return (folder / self.files[-1]).exists()


def convert(
    checkpoint: Checkpoint,
    out: Path,
    precisions: Precisions,
    name: str,
    progress: Callable[[str, float], None],
) -> None:
    """Fill the folder `out` with a model called `name`, skipping what an earlier run has put there.

    What is in `out` must come from this checkpoint, these precisions and CONVERTER_VERSION. `progress` hears
    what is being done and the part done, 0 to 1. Raises ConversionError when the checkpoint is changed.
    """
    parts = _parts(checkpoint, precisions, name, out)
    whole, done = sum(part.share for part in parts), 0.0
    for part in parts:
        progress(part.what, done / whole)
        if not part.is_complete(out):
            _make(part, out, _section(progress, part.what, done / whole, part.share / whole))
        done += part.share
    (out / RANGES_FILE).unlink(missing_ok=True)
    progress("converted", 1.0)


def _section(
    progress: Callable[[str, float], None], what: str, start: float, share: float
) -> Callable[[float], None]:
    """What hears the part done of a step that is `share` of the whole and begins at `start` of it."""
    return lambda fraction: progress(what, start + fraction * share)


def missing_bytes(checkpoint: Checkpoint, precisions: Precisions, out: Path) -> int:
    """Disk space that `convert` still needs in `out`, rather too much than too little."""
    parts = _parts(checkpoint, precisions, "", out)
    return sum(round(part.size_bytes * _SPARE) for part in parts if not part.is_complete(out))


def drop_unfinished(out: Path) -> None:
    """Delete the part that was being built when `convert` failed."""
    if (out / _UNFINISHED).exists():
        shutil.rmtree(out / _UNFINISHED)


def _make(part: _Part, out: Path, progress: Callable[[float], None]) -> None:
    """Build a part aside, make sure that the disk has it, then move it into its place."""
    aside = out / _UNFINISHED
    drop_unfinished(out)
    aside.mkdir()
    part.build(aside, progress)
    ctypes.CDLL(None).malloc_trim(0)  # the next part may need what glibc would keep
    for file in part.files:
        with (aside / file).open("rb") as written:
            os.fsync(written.fileno())
        (aside / file).replace(out / file)
    aside.rmdir()


def _parts(checkpoint: Checkpoint, precisions: Precisions, name: str, out: Path) -> list[_Part]:
    """Everything a model folder consists of, in the order in which it can be built."""
    parts = [_text_table(checkpoint, precisions), _tables(checkpoint, precisions, name)]
    if Precision.W8A8 in (precisions.talker, precisions.predictor):
        parts.append(_calibration(checkpoint, out))
    return parts + [_networks(part, precisions.parts[part.what], out) for part in _builders(checkpoint)]


def _text_table(checkpoint: Checkpoint, precisions: Precisions) -> _Part:
    # as exact as the network that reads it; half the size loses nothing that 8 bits or float16 would keep
    dtype = np.dtype(np.float32 if precisions.talker == Precision.FP32 else np.float16)
    config, weights = checkpoint.config.talker_config, TensorReader(checkpoint.weights)
    tokens = config.text_vocab_size
    return _Part(
        "text table",
        (TEXT_TABLE_FILE,),
        tokens * config.hidden_size * dtype.itemsize,
        1.0,
        lambda folder, progress: write_text_table(weights, tokens, folder / TEXT_TABLE_FILE, dtype, progress),
    )


def _tables(checkpoint: Checkpoint, precisions: Precisions, name: str) -> _Part:
    """Everything small: codec embedding, tokenizer, configurations, `model.json`."""
    names = (name for name in checkpoint.files if not name.endswith(".safetensors"))
    copies = {name: SPEECH_TOKENIZER_CONFIG_FILE if name == SPEECH_CONFIG_FILE else name for name in names}
    embedding_bytes = 4 * math.prod(checkpoint.weights.tensors[_CODEC_EMBEDDING].shape)
    spec = ModelSpec(
        name=name,
        sample_rate_hz=checkpoint.speech.output_sample_rate,
        precision=str(precisions),
        parts=precisions.parts,
        converter=CONVERTER_VERSION,
    )

    def write(folder: Path, progress: Callable[[float], None]) -> None:
        np.save(folder / CODEC_EMBEDDING_FILE, TensorReader(checkpoint.weights)(_CODEC_EMBEDDING))
        for source, target in copies.items():
            shutil.copyfile(checkpoint.folder / source, folder / target)
        (folder / SPEC_FILE).write_text(spec.model_dump_json(indent=2) + "\n", encoding="utf-8")
        progress(1.0)

    return _Part(
        "tables",
        (CODEC_EMBEDDING_FILE, *copies.values(), SPEC_FILE),
        embedding_bytes + sum((checkpoint.folder / source).stat().st_size for source in copies),
        0.01,
        write,
    )


def _calibration(checkpoint: Checkpoint, out: Path) -> _Part:
    return _Part(
        "calibrating",
        (RANGES_FILE,),
        0,
        5.0,
        lambda folder, progress: measure_ranges(checkpoint, out, folder / RANGES_FILE, progress),
    )


@dataclass(frozen=True, slots=True)
class _Builders:
    """The networks of a part: how each file is built, and from which tensors of which file all of them."""

    what: str
    files: dict[str, Callable[[], Any]]
    source: TensorFile
    prefixes: tuple[str, ...] = ("",)

    def size_bytes(self, precision: Precision) -> int:
        """About how large the files get."""
        return len(self.files) * _GRAPH_BYTES + sum(
            math.prod(tensor.shape) * self._item_bits(name, precision) // 8
            for name, tensor in self.source.tensors.items()
            if name.startswith(self.prefixes)
        )

    def _item_bits(self, name: str, precision: Precision) -> int:
        if precision == Precision.FP32 and self.source.bfloat16:
            return 16  # kept as it is
        if precision == Precision.INT4 and any(part in name for part in _KEPT_AT_8_BITS):
            return 8
        return _ITEM_BITS[precision]


def _builders(checkpoint: Checkpoint) -> list[_Builders]:
    talker, weights = checkpoint.config.talker_config, TensorReader(checkpoint.weights)
    vocoder, sound = checkpoint.speech.decoder_config, TensorReader(checkpoint.vocoder_weights)
    top_k = checkpoint.sampling.subtalker_top_k
    return [
        _Builders(
            "talker", {TALKER_FILE: lambda: build_talker(talker, weights)}, checkpoint.weights, _TALKER
        ),
        _Builders(
            "predictor",
            {PREDICTOR_FILE: lambda: build_predictor(talker, weights, top_k=top_k)},
            checkpoint.weights,
            _PREDICTOR,
        ),
        _Builders(
            "vocoder",
            {
                FEATURES_FILE: lambda: build_features_network(vocoder, sound),
                WAVEFORM_FILE: lambda: build_waveform_network(vocoder, sound),
            },
            checkpoint.vocoder_weights,
        ),
    ]


def _networks(part: _Builders, precision: Precision, out: Path) -> _Part:
    """The part that is these networks, a .bin and .xml each."""

    def write(folder: Path, progress: Callable[[float], None]) -> None:
        for index, (file, build) in enumerate(part.files.items()):
            network = build()
            progress((index + 0.5) / len(part.files))
            if precision == Precision.W8A8:
                quantize(network, read_ranges(out / RANGES_FILE, part.what))
            else:
                network = compress(network, precision)
            share_constants(network)
            # what is float32 by now is small and matters: angles, gains, scales
            ov.save_model(network, folder / file, compress_to_fp16=False)

    files = [name for file in part.files for name in (str(Path(file).with_suffix(".bin")), file)]
    return _Part(part.what, tuple(files), part.size_bytes(precision), 0.5, write)
