"""8-bit arithmetic: ranges measured on speech, then fixed in the network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from edged.engine.qwen3 import calibrate
from edged.engine.qwen3.calibrate import measure_ranges, quantize, read_prompts, read_ranges
from edged.engine.qwen3.checkpoint import open_checkpoint
from edged.engine.qwen3.convert import convert
from edged.engine.qwen3.precision import choose
from edged.engine.qwen3.talker import Talker, build_talker
from edged.engine.qwen3.tensors import TensorReader
from edged.engine.runtime import CpuSettings, compile_model, op, ov
from tests.fakes.qwen3_checkpoint import write_tiny_checkpoint

FloatArray = NDArray[np.float32]
WIDTH = 64
RNG = np.random.default_rng(0)
WEIGHTS = RNG.standard_normal((WIDTH, WIDTH), np.float32) / np.float32(8)
X = RNG.standard_normal((100, WIDTH), np.float32)


def network(products: int = 1, weights: FloatArray = WEIGHTS) -> Any:
    """One matrix in so many products."""
    x = y = op.parameter([-1, WIDTH], ov.Type.f32, name="x")
    matrix = op.constant(weights)
    for _ in range(products):
        y = op.matmul(y, matrix, False, True)
    return ov.Model([op.result(y)], [x], "tiny")


def quantized(largest: FloatArray, products: int = 1) -> Any:
    net = network(products)
    quantize(net, {"0": largest.astype(np.float32)})
    return net


def result(net: Any, x: FloatArray) -> FloatArray:
    return np.asarray(compile_model(net, CpuSettings(threads=1))([x])[0])


def snr_db(expected: FloatArray, found: FloatArray) -> float:
    return float(10 * np.log10((expected**2).sum() / ((expected - found) ** 2).sum()))


def test_inputs_and_weights_get_8_bits() -> None:
    """Every product gets 8-bit inputs, the shared matrix stays one, and the result stays close."""
    net = quantized(np.abs(X).max(axis=0), products=2)
    kinds = [node.get_type_name() for node in net.get_ordered_ops()]
    assert kinds.count("FakeQuantize") == 2
    stored = [
        n
        for n in net.get_ordered_ops()
        if n.get_type_name() == "Constant" and n.get_element_type() == ov.Type.i8
    ]
    assert [list(node.get_output_shape(0)) for node in stored] == [[WIDTH, WIDTH]]
    assert snr_db(result(network(2), X), result(net, X)) > 30


def test_the_plugin_multiplies_in_8_bits() -> None:
    """The products of the compiled network are 8-bit ones, not float32 with rounded inputs."""
    compiled = compile_model(quantized(np.abs(X).max(axis=0), 2), CpuSettings(threads=1))
    kernels = [
        node.get_rt_info()["primitiveType"].astype(str)
        for node in compiled.get_runtime_model().get_ops()
        if node.get_rt_info()["layerType"].astype(str) in ("FullyConnected", "MatMul")
    ]
    assert len(kernels) == 2
    assert all(kernel.lower().endswith("i8") for kernel in kernels), kernels


def test_tables_stay_8_bit_in_memory() -> None:
    """Rows of an embedding are looked up in 8 bits, and are close to what they were."""
    code = op.parameter([1], ov.Type.i32, name="code")
    table = op.constant(WEIGHTS)
    net = ov.Model([op.result(op.gather(table, code, op.constant(np.int64(0))))], [code], "table")
    quantize(net, {})
    compiled = compile_model(net, CpuSettings(threads=1))
    rows = [compiled([np.array([row], np.int32)])[0][0] for row in range(WIDTH)]
    assert snr_db(WEIGHTS, np.array(rows, np.float32)) > 40
    facts = [node.get_rt_info() for node in compiled.get_runtime_model().get_ops()]
    lookups = [fact for fact in facts if fact["layerType"].astype(str) == "Gather"]
    assert "i8" in {fact["outputPrecisions"].astype(str) for fact in lookups}


def test_one_loud_input_does_not_drown_the_others() -> None:
    """An input a hundred times as large as the rest, with weights as much smaller, costs next to nothing."""
    loud: FloatArray = X.copy()
    soft: FloatArray = WEIGHTS.copy()
    loud[:, 7] *= 100
    soft[:, 7] /= 100
    net = network(weights=soft)
    quantize(net, {"0": np.abs(loud).max(axis=0)})
    assert snr_db(result(network(weights=soft), loud), result(net, loud)) > 30


def test_inputs_that_are_always_zero_are_no_trouble() -> None:
    """A dead input or a dead row of weights must not divide by zero."""
    dead = X.copy()
    dead[:, 3] = 0
    found = result(quantized(np.abs(dead).max(axis=0)), dead)
    assert np.isfinite(found).all()
    assert snr_db(result(network(), dead), found) > 25


def test_prompts_cover_what_boards_speak() -> None:
    """At least 200 different ones: Chinese, English, mixed, digits, punctuation, and next to nothing."""
    prompts = read_prompts()
    texts = [prompt["text"] for prompt in prompts]
    assert len(set(texts)) == len(texts) >= 200
    assert {prompt["language"] for prompt in prompts} == {"chinese", "english", "auto"}
    assert any(is_mixed(text) for text in texts)
    assert any(sum(char.isdigit() for char in text) > 5 for text in texts)
    assert any(not any(char.isalnum() for char in text) for text in texts)


def is_mixed(text: str) -> bool:
    """Whether a text has letters of both scripts."""
    han = any("\u4e00" <= char <= "\u9fff" for char in text)
    return han and any(char.isascii() and char.isalpha() for char in text)


@pytest.mark.parametrize("kind", ["custom_voice", "base", "voice_design"])
def test_ranges_are_those_of_speech(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Each kind of model speaks some prompts; with the measured ranges the talker stays close to itself."""
    monkeypatch.setattr(calibrate, "read_prompts", lambda: read_prompts()[::20])
    monkeypatch.setattr(calibrate, "compress", lambda net, precision: net)  # nothing that ranges depend on
    checkpoint = open_checkpoint(write_tiny_checkpoint(tmp_path / "c", kind, wide_talker=True))
    tables = tmp_path / "tables"
    tables.mkdir()
    convert(checkpoint, tables, choose("fp32"), "tiny", lambda what, fraction: None)
    heard: list[float] = []
    measure_ranges(checkpoint, tables, tmp_path / "r.npz", heard.append)
    assert heard[-1] == 1.0
    config, weights = checkpoint.config.talker_config, TensorReader(checkpoint.weights)
    ranges = read_ranges(tmp_path / "r.npz", "talker")
    assert len(ranges) == 4 * config.num_hidden_layers + 1
    assert ranges["0"].shape == (config.hidden_size,)
    rounded = build_talker(config, weights)
    quantize(rounded, ranges)
    x = np.load(tables / "codec_embedding.npy")[:30]
    settings = CpuSettings(threads=1)
    expected, found = (Talker(net, settings)(x)[1] for net in (build_talker(config, weights), rounded))
    assert snr_db(expected, found) > 15
