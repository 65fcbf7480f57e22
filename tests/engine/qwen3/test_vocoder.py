"""The vocoder: the published layers' samples, however a stream of codes is cut."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.qwen3_straight_vocoder import StraightVocoder
from edged.engine.qwen3.config import VocoderConfig
from edged.engine.qwen3.layout import vocoder_layout
from edged.engine.qwen3.vocoder import Vocoder
from edged.engine.qwen3.vocoder_net import LONGEST_CHUNK, build_features_network, build_waveform_network
from edged.engine.runtime import CpuSettings, compile_model
from tests.fakes.qwen3_checkpoint import TINY_VOCODER, random_tensor, tokenizer_config

Codes = NDArray[np.integer[Any]]
Samples = NDArray[np.float32]
SETTINGS = CpuSettings(1)
SAMPLES_PER_FRAME = 1920


class RandomWeights:
    """The tensors of a vocoder by name, seeded; `changed` ones are what they are said to be."""

    bfloat16 = False

    def __init__(self, config: VocoderConfig, changed: dict[str, Samples] | None = None) -> None:
        self._shapes = vocoder_layout(config)
        self._changed = changed or {}

    def __call__(self, name: str) -> Samples:
        if name in self._changed:
            return self._changed[name]
        return random_tensor(name, self._shapes[name], np.random.default_rng(zlib.crc32(name.encode())))


def tiny_config(**changes: int) -> VocoderConfig:
    """A small vocoder with a window of 6 frames."""
    return VocoderConfig.model_validate(tokenizer_config({**TINY_VOCODER, **changes})["decoder_config"])


def vocoder_of(config: VocoderConfig, weights: RandomWeights) -> Vocoder:
    networks = build_features_network(config, weights), build_waveform_network(config, weights)
    return Vocoder(*networks, SETTINGS)


def random_codes(frames: int, seed: int = 0) -> Codes:
    return np.random.default_rng(seed).integers(0, 2048, (frames, 16))


@pytest.fixture(scope="module")
def config() -> VocoderConfig:
    return tiny_config()


@pytest.fixture(scope="module")
def compiled(config: VocoderConfig) -> Vocoder:
    return vocoder_of(config, RandomWeights(config))


@pytest.fixture
def decode(compiled: Vocoder) -> Callable[..., Samples]:
    """Samples of codes as a stream of their own, in chunks of these lengths (default: one)."""

    def run(codes: Codes, *chunks: int) -> Samples:
        compiled.reset()
        ends = np.cumsum(chunks or [len(codes)])[:-1]
        return np.concatenate([compiled(part) for part in np.split(codes, ends)])

    return run


def test_samples_are_those_of_the_published_layers(
    config: VocoderConfig, decode: Callable[..., Samples]
) -> None:
    """Ten windows of frames: equal to every layer run over the whole stream at once."""
    codes = random_codes(10 * config.sliding_window)
    network = StraightVocoder(config, RandomWeights(config)).build(len(codes))
    expected = compile_model(network, SETTINGS)({"codes": codes})["samples"].reshape(-1)
    assert expected.shape == (len(codes) * SAMPLES_PER_FRAME,)
    assert expected.std() > 0.05
    np.testing.assert_allclose(decode(codes), expected, rtol=0, atol=2e-5)


@pytest.mark.parametrize(
    "chunks", [[1] * 40, [2] * 20, [5] * 8, [8, 16, 16], [1, 1, 2, 4, 8, 11, 13], [39, 1]]
)
def test_chunks_do_not_matter(chunks: list[int], decode: Callable[..., Samples]) -> None:
    """Each chunk comes back whole, and together they are the samples of one call."""
    codes = random_codes(40)
    np.testing.assert_allclose(decode(codes, *chunks), decode(codes), rtol=0, atol=1e-5)


def test_each_chunk_comes_back_whole(compiled: Vocoder) -> None:
    """1920 samples a frame at once, whatever came before."""
    assert compiled.samples_per_frame == SAMPLES_PER_FRAME
    for frames in (1, 3, LONGEST_CHUNK, LONGEST_CHUNK + 1):
        samples = compiled(random_codes(frames))
        assert samples.shape == (frames * SAMPLES_PER_FRAME,)
        assert samples.dtype == np.float32


@pytest.mark.parametrize("changed", [0, 1, 9, 19])
def test_no_frame_is_heard_before_its_time(changed: int, decode: Callable[..., Samples]) -> None:
    """Another code in frame t changes samples from t * 1920 on, and none before."""
    codes = random_codes(20)
    other = codes.copy()
    other[changed, 3] ^= 1
    differs = decode(codes) != decode(other)
    start = changed * SAMPLES_PER_FRAME
    assert not differs[:start].any()
    assert differs[start : start + SAMPLES_PER_FRAME].any()


def test_samples_stay_within_full_scale(config: VocoderConfig) -> None:
    """What would be louder is cut at -1 and 1."""
    last = f"decoder.decoder.{len(config.upsample_rates) + 2}.conv.weight"
    louder = {last: 30 * RandomWeights(config)(last)}
    samples = vocoder_of(config, RandomWeights(config, louder))(random_codes(2))
    assert samples.min() == -1
    assert samples.max() == 1


def test_samples_are_the_callers_own(compiled: Vocoder) -> None:
    """A later call does not write into what an earlier one returned."""
    first = compiled(random_codes(2))
    before = first.copy()
    compiled(random_codes(2, seed=1))
    np.testing.assert_array_equal(first, before)


def test_a_reset_forgets_everything(compiled: Vocoder, decode: Callable[..., Samples]) -> None:
    """After it the vocoder sounds as if new."""
    codes = random_codes(10)
    expected = decode(codes)
    compiled(random_codes(30, seed=1))
    np.testing.assert_array_equal(decode(codes), expected)


def test_the_far_past_is_forgotten(decode: Callable[..., Samples]) -> None:
    """An hour-long stream sounds as a short one: positions do not grow, nothing old is kept.

    9000 frames are beyond the positions the published model is made for.
    """
    tail = random_codes(40)
    long = decode(np.concatenate([random_codes(9000, seed=1), tail]))
    short = decode(np.concatenate([random_codes(3, seed=2), tail]))
    settled = 20 * SAMPLES_PER_FRAME  # two layers hear 2 * 5 frames back, the convolutions a few more
    np.testing.assert_allclose(long[-settled:], short[-settled:], rtol=0, atol=1e-5)


def test_query_heads_share_keys_and_values() -> None:
    """Two key heads for four query heads are four key heads of which two and two are alike."""
    shared, full = tiny_config(num_key_value_heads=2), tiny_config()
    weights, changed = RandomWeights(shared), {}
    for layer in range(shared.num_hidden_layers):
        for name in ("k_proj", "v_proj"):
            tensor = f"decoder.pre_transformer.layers.{layer}.self_attn.{name}.weight"
            heads = weights(tensor).reshape(2, shared.head_dim, -1)
            changed[tensor] = np.repeat(heads, 2, axis=0).reshape(4 * shared.head_dim, -1)
    codes = random_codes(12)
    expected = vocoder_of(full, RandomWeights(full, changed))(codes)
    np.testing.assert_allclose(vocoder_of(shared, weights)(codes), expected, rtol=0, atol=1e-5)


def test_unused_clusters_do_not_blow_up() -> None:
    """A codebook entry that training never used is its sum over 1e-5, not over zero."""
    config, name = tiny_config(), "decoder.quantizer.rvq_first.vq.layers.0._codebook."
    weights = RandomWeights(config)
    usage, sums = weights(f"{name}cluster_usage").copy(), weights(f"{name}embedding_sum").copy()
    usage[7], sums[7] = 0.0, sums[7] * 1e-5
    plain = {
        f"{name}cluster_usage": np.where(usage == 0, np.float32(1e-5), usage),
        f"{name}embedding_sum": sums,
    }
    unused = {f"{name}cluster_usage": usage, f"{name}embedding_sum": sums}
    codes = random_codes(3)
    codes[:, 0] = 7
    expected, samples = (vocoder_of(config, RandomWeights(config, part))(codes) for part in (plain, unused))
    assert np.isfinite(samples).all()
    np.testing.assert_array_equal(samples, expected)


def test_the_waveform_network_runs_fused(config: VocoderConfig) -> None:
    """No Sin, no transposed convolution, and no step of an activation on its own: each is one kernel."""
    network = build_waveform_network(config, RandomWeights(config))
    nodes = compile_model(network, SETTINGS).get_runtime_model().get_ops()
    kinds = [node.get_rt_info()["layerType"].astype(str) for node in nodes]
    assert not {"Sin", "Deconvolution", "Round", "Multiply", "Subtract", "Math", "Eltwise"} & set(kinds)
    snakes = sum(name.endswith("alpha") for name in vocoder_layout(config)) - 2 - 6
    assert kinds.count("Subgraph") >= snakes
