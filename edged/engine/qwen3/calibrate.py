"""8-bit arithmetic for talker and code predictor: ranges measured while they speak, then fixed.

CPUs without AVX2 unpack 8-bit weights to float32; products of 8-bit inputs with 8-bit weights stay 8-bit on
all of them. A few inputs of a language model are much larger than the others, which one range for all would
drown, so part of the range of each input is moved into the weights first (SmoothQuant, with a half each).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from importlib.resources import files
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edged.engine.qwen3.checkpoint import Checkpoint
from edged.engine.qwen3.compress import compress, float32_of, matrices
from edged.engine.qwen3.config import ModelConfig
from edged.engine.qwen3.generate import Drawing, frames
from edged.engine.qwen3.graph import named_result
from edged.engine.qwen3.model_files import CODEC_EMBEDDING_FILE, TEXT_TABLE_FILE
from edged.engine.qwen3.precision import Precision
from edged.engine.qwen3.predictor import Predictor, build_predictor
from edged.engine.qwen3.prompt import Prompt, PromptBuilder
from edged.engine.qwen3.sampler import Code0Sampler, Code0Sampling, gumbel
from edged.engine.qwen3.talker import Talker, build_talker
from edged.engine.qwen3.tensors import TensorReader
from edged.engine.qwen3.text_table import TextTable
from edged.engine.qwen3.tokenizer import Tokenizer
from edged.engine.runtime import CpuSettings, op

FloatArray = NDArray[np.float32]

# largest magnitude of each input of each matrix: arrays "talker.0", "talker.1"..., "predictor.0"...
RANGES_FILE = "ranges.npz"
PROMPTS_FILE = "calibration.jsonl"

_PRODUCTS, _TABLES = {"MatMul": 1}, {"Gather": 0}
_FRAMES_EACH = 4
_LEVELS = 256
_LARGEST = 127
_SMOOTHING = 0.5
_SEED = 0
_INSTRUCT = "Speak calmly and clearly."


def read_prompts() -> list[dict[str, str]]:
    """The texts to measure with, `text` and `language` each."""
    lines = files("edged.engine.qwen3").joinpath(PROMPTS_FILE).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def read_ranges(path: Path, network: str) -> dict[str, FloatArray]:
    """What `measure_ranges` wrote of the "talker" or the "predictor", for `quantize`."""
    with np.load(path) as arrays:
        return {key.partition(".")[2]: arrays[key] for key in arrays if key.startswith(f"{network}.")}


def measure_ranges(
    checkpoint: Checkpoint, tables: Path, out: Path, progress: Callable[[float], None]
) -> None:
    """Speak some frames of every prompt and write the largest inputs of all matrices to `out`.

    `tables` is a folder with the text table, the codec embedding and the tokenizer of the checkpoint. The
    networks that speak have 8-bit weights: their ranges are those of the exact ones, in a quarter of the RAM.
    """
    config, weights = checkpoint.config.talker_config, TensorReader(checkpoint.weights)
    talker = _MeasuredTalker(build_talker(config, weights))
    predictor = _MeasuredPredictor(
        build_predictor(config, weights, top_k=checkpoint.sampling.subtalker_top_k)
    )
    embedding = np.load(tables / CODEC_EMBEDDING_FILE)
    rng = np.random.default_rng(_SEED)
    prompts = read_prompts()
    for index, prompt in enumerate(_built(prompts, checkpoint.config, tables, embedding)):
        spoken = frames(talker, predictor, embedding, prompt, _drawing(checkpoint), rng)
        for _ in islice(spoken, _FRAMES_EACH):
            pass
        progress((index + 1) / len(prompts))
    measured = {"talker": talker.maxima.ranges, "predictor": predictor.maxima.ranges}
    arrays: dict[str, Any] = {
        f"{name}.{key}": v for name, ranges in measured.items() for key, v in ranges.items()
    }
    np.savez(out, **arrays)


def _built(
    prompts: list[dict[str, str]], config: ModelConfig, tables: Path, embedding: FloatArray
) -> Iterator[Prompt]:
    """Each prompt as the kind of model takes it, the speakers in turn, every other one in streaming text."""
    builder = PromptBuilder(config, Tokenizer(tables, config), TextTable(tables / TEXT_TABLE_FILE), embedding)
    speakers = cycle(config.talker_config.spk_id or [None])
    kind = config.tts_model_type
    # no speaker embedding comes with a Base model; one position in forty, as large as its neighbours, will do
    x_vector = np.random.default_rng(_SEED).permutation(embedding[config.talker_config.codec_pad_id])
    for index, (prompt, speaker) in enumerate(zip(prompts, speakers)):  # noqa: B905 - speakers never end
        yield builder.build(
            prompt["text"],
            language=prompt["language"],
            speaker=speaker,
            x_vector=x_vector if kind == "base" else None,
            instruct=_INSTRUCT if kind == "voice_design" else None,
            streaming_text=index % 2 == 1,
        )


def _drawing(checkpoint: Checkpoint) -> Drawing:
    """Codes drawn with the checkpoint's own defaults."""
    config, sampling = checkpoint.config.talker_config, checkpoint.sampling
    code0 = Code0Sampling(
        sampling.do_sample, sampling.temperature, sampling.top_k, sampling.top_p, sampling.repetition_penalty
    )
    noise_shape = (config.num_code_groups - 1, config.code_predictor_config.vocab_size)
    temperature = np.float32(sampling.subtalker_temperature * sampling.subtalker_dosample)
    return Drawing(
        Code0Sampler(code0, vocab_size=config.vocab_size, eos=config.codec_eos_token_id),
        lambda rng: temperature * gumbel(rng, noise_shape),
        config.codec_eos_token_id,
    )


class _Maxima:
    """The largest magnitude that each input of each matrix of a network has had so far."""

    def __init__(self, network: Any) -> None:
        self._names: list[str] = []
        self.ranges: dict[str, FloatArray] = {}
        for index, (_, inputs) in enumerate(matrices(network, _PRODUCTS)):
            for entry in inputs:
                name = f"{index}/{len(self._names)}"
                x = entry.get_node().input_value(0)
                network.add_results([named_result(op.reduce_max(op.abs(x), _leading_axes(x), False), name)])
                self._names.append(name)

    def heed(self, request: Any) -> None:
        """Take the last call's values into account."""
        for name in self._names:
            key, values = name.split("/")[0], request.get_tensor(name).data
            self.ranges[key] = np.maximum(self.ranges[key], values) if key in self.ranges else values.copy()


class _MeasuredTalker(Talker):
    def __init__(self, network: Any) -> None:
        self.maxima = _Maxima(network)
        super().__init__(compress(network, Precision.INT8), CpuSettings(_threads()))

    def __call__(self, embeds: FloatArray) -> tuple[FloatArray, FloatArray]:
        result = super().__call__(embeds)
        self.maxima.heed(self._request)
        return result


class _MeasuredPredictor(Predictor):
    def __init__(self, network: Any) -> None:
        self.maxima = _Maxima(network)
        super().__init__(compress(network, Precision.INT8), CpuSettings(_threads()))

    def __call__(
        self, hidden: FloatArray, code0_embedding: FloatArray, noise: FloatArray
    ) -> tuple[NDArray[np.int32], FloatArray]:
        result = super().__call__(hidden, code0_embedding, noise)
        self.maxima.heed(self._request)
        return result


def _threads() -> int:
    return len(os.sched_getaffinity(0))


def quantize(network: Any, ranges: dict[str, FloatArray]) -> None:
    """Give every product of the network 8-bit inputs and weights, and every table 8-bit rows, in place.

    `ranges` are what `measure_ranges` found for the same network.
    """
    for index, (matrix, inputs) in enumerate(matrices(network, _PRODUCTS)):
        values, range_ = float32_of(matrix), ranges[str(index)]
        smoothing = _smoothing(range_, np.abs(values).max(axis=0))
        rounded, scale = _symmetric(values * smoothing)
        weights = op.multiply(op.convert(op.constant(rounded), "f32"), op.constant(scale))
        largest = float((range_ / smoothing).max())
        for entry in inputs:
            product = entry.get_node()
            x = _rounded(product.input_value(0), smoothing, largest)
            product.input(0).replace_source_output(x.output(0))
            entry.replace_source_output(weights.output(0))
    for table, inputs in matrices(network, _TABLES):
        rounded, scale = _symmetric(float32_of(table))
        for entry in inputs:
            _read_rounded(entry.get_node(), op.constant(rounded), op.constant(scale))


def _read_rounded(gather: Any, rounded: Any, scale: Any) -> None:
    """Have rows looked up in 8 bits and widened afterwards: a table widened first is float32 in memory."""
    where = gather.input_value(1), gather.input_value(2)
    rows = op.multiply(op.convert(op.gather(rounded, *where), "f32"), op.gather(scale, *where))
    for reader in gather.output(0).get_target_inputs():
        reader.replace_source_output(rows.output(0))


def _smoothing(inputs: FloatArray, weights: FloatArray) -> FloatArray:
    """What each input is divided by and its weights are multiplied with."""
    tiny = np.finfo(np.float32).tiny
    factors = np.maximum(inputs, tiny) ** _SMOOTHING / np.maximum(weights, tiny) ** (1 - _SMOOTHING)
    typical = np.median(factors)  # an input that is always zero must not scale the others away
    return np.asarray(np.clip(factors / typical, 1e-3, 1e3), np.float32)


def _rounded(x: Any, smoothing: FloatArray, largest: float) -> Any:
    """The inputs divided by `smoothing` and rounded to 8 bits up to `largest`."""
    step = largest / _LARGEST
    limits = [op.constant(np.float32(level * step)) for level in (_LARGEST - _LEVELS + 1, _LARGEST)]
    return op.fake_quantize(op.multiply(x, op.constant(1 / smoothing)), *limits, *limits, _LEVELS)


def _symmetric(values: FloatArray) -> tuple[NDArray[np.int8], FloatArray]:
    """Rows as signed 8 bits and the scale of each, [rows, 1]."""
    largest = np.abs(values).max(axis=1, keepdims=True)
    scale = np.maximum(largest, np.finfo(np.float32).tiny * _LARGEST) / _LARGEST
    return np.rint(values / scale).astype(np.int8), scale.astype(np.float32)


def _leading_axes(x: Any) -> Any:
    return op.constant(np.arange(x.get_partial_shape().rank.get_length() - 1))
