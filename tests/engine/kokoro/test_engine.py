"""The installed voice for real: the sound around, inside and between sentences, and padding."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edged.engine.base import Samples, SynthJob
from edged.engine.kokoro import acoustic as acoustic_module
from edged.engine.kokoro.acoustic import AcousticModel
from edged.engine.kokoro.calibrate import quantize_residual_blocks
from edged.engine.kokoro.convert import calibration_cases
from edged.engine.kokoro.engine import KokoroEngine
from edged.engine.kokoro.generator import fixed_length, padded_inputs
from edged.engine.kokoro.model_files import GENERATOR_FILE, ModelFiles
from edged.engine.kokoro.precision import PRECISIONS, Weights
from edged.engine.kokoro.silence import speech_span
from edged.engine.kokoro.source import excitation, waveform
from edged.engine.runtime import CpuSettings, compile_model, read_model
from edged.errors import EngineError, UnknownVoiceError
from edged.io.store import Store
from edged.text.sentence import Lang, Sentence

pytestmark = pytest.mark.model

MODELS = Path(__file__).parents[3] / "models"
RATE_HZ = 24_000
VOICES: dict[Lang, str] = {"zh": "zf_xiaobei", "en": "af_heart"}
# "hello world, this is a test of the Kokoro voice."
PHONEMES = "həlˈO wˈɜɹld, ðɪs ɪz ɐ tˈɛst ʌv ðə kəkˈɔɹO vˈYs."


@pytest.fixture(scope="module")
def files() -> ModelFiles:
    """The active model of the checkout; a missing or damaged one fails the tests and says what to do."""
    return ModelFiles(Store(MODELS).open_active("kokoro").path)


@pytest.fixture(scope="module")
def engine(files: ModelFiles) -> Iterator[KokoroEngine]:
    """One engine for all tests: compiling takes seconds."""
    engine = KokoroEngine(files.folder, threads=2, cache_dir=None)
    engine.warm_up()
    yield engine
    engine.close()


def spoken(engine: KokoroEngine, *sentences: Sentence, speed: float = 1.0) -> list[Samples]:
    """Samples per sentence."""
    chunks = list(engine.synthesize(SynthJob("job", sentences, VOICES, speed)))
    return [
        np.concatenate([chunk.samples for chunk in chunks if chunk.sentence_index == index])
        for index in range(len(sentences))
    ]


def loud(samples: Samples) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
    """Indices of 10 ms blocks above -46 dBFS."""
    blocks = samples[: len(samples) // 240 * 240].reshape(-1, 240)
    return np.flatnonzero(np.sqrt((blocks**2).mean(axis=1)) > 0.005)


@pytest.mark.parametrize(
    ("lang", "text", "low_s", "high_s"),
    [("en", "Number twelve.", 0.6, 1.5), ("zh", "请十二号到二号窗口办理业务。", 2.0, 4.0)],
)
def test_a_sentence_is_spoken_without_silence_around_it(
    engine: KokoroEngine, lang: Lang, text: str, low_s: float, high_s: float
) -> None:
    """Speech begins within 80 ms and ends at most 120 ms before the end; no clipping, no click."""
    (samples,) = spoken(engine, Sentence(lang, text, 0))
    assert low_s < len(samples) / RATE_HZ < high_s
    blocks = loud(samples)
    assert blocks[0] <= 8
    assert len(samples) // 240 - blocks[-1] <= 12
    assert 0.1 < np.abs(samples).max() < 1.0
    assert abs(samples[0]) < 1e-3
    assert abs(samples[-1]) < 1e-3


def test_the_pause_after_a_sentence_is_exact(engine: KokoroEngine) -> None:
    """pause_ms of zeros follow the sentence, and only those."""
    with_pause, without = spoken(
        engine, Sentence("en", "Number twelve.", 250), Sentence("en", "Number twelve.", 0)
    )
    np.testing.assert_allclose(with_pause[: len(without)], without, atol=1e-5)
    assert len(with_pause) - len(without) == RATE_HZ * 250 // 1000
    assert not np.any(with_pause[len(without) :])


def test_speed_shortens_speech(engine: KokoroEngine) -> None:
    """Half as fast again takes between 60 and 75 % of the time (durations are whole frames)."""
    sentence = Sentence("en", "Please proceed to counter three.", 0)
    (normal,), (fast,) = spoken(engine, sentence), spoken(engine, sentence, speed=1.5)
    assert 0.6 < len(fast) / len(normal) < 0.75


def test_a_long_sentence_comes_in_parts(engine: KokoroEngine) -> None:
    """The first part is there before the rest is made, and nothing of the sentence is lost."""
    clause = "the train to the airport is delayed by about twenty minutes"
    sentence = Sentence("en", ", and ".join([clause] * 4) + ".", 0)
    stream = engine.synthesize(SynthJob("job", (sentence,), VOICES))
    parts = [chunk.samples for chunk in stream]
    assert len(parts) >= 4
    (once,) = spoken(engine, Sentence("en", clause + ".", 0))
    assert sum(map(len, parts)) > 3.5 * len(once)


def test_words_without_a_comma_are_split_all_the_same(engine: KokoroEngine) -> None:
    """A run of 60 words has no boundary but spaces."""
    (samples,) = spoken(engine, Sentence("en", " ".join(["seven"] * 60), 0))
    assert len(samples) / RATE_HZ > 15


def test_symbols_out_of_the_alphabet_are_left_out(
    engine: KokoroEngine, caplog: pytest.LogCaptureFixture
) -> None:
    """They cost a warning, and nothing but them is silence."""
    assert not list(engine.speak_phonemes("§§", "af_heart"))
    assert "left out" in caplog.text


def test_a_sound_too_long_to_speak_is_an_error(engine: KokoroEngine) -> None:
    """A speed so low that one sound takes more than the generator holds ends in words, not in a loop."""
    with pytest.raises(EngineError, match="too long"):
        list(engine.speak_phonemes("aaaa", "af_heart", speed=0.01))


def test_an_unknown_voice_is_refused(engine: KokoroEngine) -> None:
    """By name, before anything is computed."""
    with pytest.raises(UnknownVoiceError, match="nobody"):
        list(engine.speak_phonemes(PHONEMES, "nobody"))


def test_threads_can_change_between_sentences(engine: KokoroEngine) -> None:
    """The same sentence on one thread sounds the same."""
    (before,) = spoken(engine, Sentence("en", "Number twelve.", 0))
    engine.set_threads(1)
    (after,) = spoken(engine, Sentence("en", "Number twelve.", 0))
    engine.set_threads(2)
    np.testing.assert_allclose(after, before, atol=1e-3)


def test_padding_does_not_change_the_features(files: ModelFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens and frames padded to their steps give what exact lengths give."""
    acoustic = AcousticModel(files, CpuSettings(2))
    tokens = [0, *(files.vocabulary[symbol] for symbol in PHONEMES), 0]
    style = np.asarray(files.style_pack("af_heart")[len(tokens) - 3])
    padded = acoustic(tokens, style, 1.0)
    for step in ("_TOKEN_STEP", "_FRAME_STEP"):
        monkeypatch.setattr(acoustic_module, step, 1)
    exact = acoustic(tokens, style, 1.0)
    np.testing.assert_allclose(padded.pitch_hz, exact.pitch_hz, atol=0.01)
    np.testing.assert_allclose(padded.energy, exact.energy, atol=1e-3)
    np.testing.assert_allclose(padded.features, exact.features, atol=1e-3)


def float_generator(files: ModelFiles) -> Any:
    """The installed generator, whose arithmetic is to be float32."""
    if files.spec.precision != PRECISIONS[Weights.INT8]:
        pytest.skip(f"the active model has {files.spec.precision}")
    return read_model(files.path(GENERATOR_FILE))


def generator_case(files: ModelFiles, voice: str, padding: int) -> tuple[dict[str, Samples], int, int]:
    """Generator inputs of PHONEMES and so much padding; length of all and of the speech, in frames."""
    tokens = [0, *(files.vocabulary[symbol] for symbol in PHONEMES), 0]
    style = np.asarray(files.style_pack(voice)[len(tokens) - 3])
    acoustics = AcousticModel(files, CpuSettings(2))(tokens, style, 1.0)
    span = speech_span(acoustics.energy)
    speech = slice(span.start, span.stop)
    source = excitation(acoustics.pitch_hz[speech], files.harmonics())
    length = span.frames + padding
    inputs = padded_inputs(acoustics.features[:, speech], source, style, span.weights(), length)
    return inputs, length, span.frames


def generated(network: Any, inputs: dict[str, Samples], length: int, frames: int) -> Samples:
    """The samples a generator fixed to `length` frames makes of the first `frames`."""
    spectrum = compile_model(fixed_length(network, length), CpuSettings(2))(inputs)["spectrum"]
    return waveform(spectrum[0, :, : 60 * frames + 1])


def test_padding_does_not_change_the_speech(files: ModelFiles) -> None:
    """A generator of exactly the speech's length and a longer one agree."""
    network = float_generator(files)
    exact, padded = (generated(network, *generator_case(files, "af_heart", padding)) for padding in (0, 37))
    np.testing.assert_allclose(padded, exact, atol=1e-4)


def test_8_bit_arithmetic_stays_close_to_float(files: ModelFiles) -> None:
    """W8A8's rounding is at least 18 dB below the speech, in a voice it was not calibrated for."""
    case = generator_case(files, "bf_emma", 0)
    network = float_generator(files)
    exact = generated(network, *case)
    quantize_residual_blocks(
        network, calibration_cases(files, files.spec.generator_frames), files.spec.generator_frames
    )
    noise = generated(network, *case) - exact
    assert 18 < 10 * np.log10(np.square(exact).sum() / np.square(noise).sum()) < 60
