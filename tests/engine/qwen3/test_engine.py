"""The engine: what is heard of a job, in which order, from which draw, and when it goes astray."""

from __future__ import annotations

import gc
import logging
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edged.engine.base import PcmChunk, SpeechOptions, SynthJob
from edged.engine.qwen3 import engine as engine_module
from edged.engine.qwen3.engine import Networks, Qwen3Engine
from edged.engine.qwen3.overlap import decoded
from edged.engine.qwen3.runaway import Limits
from edged.errors import BadInputError, ModelUnavailableError, RunawayError, UnknownVoiceError
from edged.text.sentence import Lang, Pinyin, Sentence
from tests.fakes.qwen3_model import write_tiny_model
from tests.fakes.qwen3_networks import (
    EOS,
    FakePredictor,
    FakeTalker,
    FakeVocoder,
    ending_after,
    never_ending,
)

RATE_HZ, FRAME = 24_000, 1920
VOICES: dict[Lang, str] = {"zh": "serena", "en": "ryan"}
HELLO = Sentence("zh", "你好，请到三号窗口。", 0)
MOST = Limits.of_text(HELLO.spoken).most
AGAIN = 5  # frames of silence before a sentence is said again
GREEDY = SpeechOptions(seed=1, temperature=0)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny CustomVoice model with random weights, in a folder with a space in its name."""
    return write_tiny_model(tmp_path_factory.mktemp("a tiny model"))


@dataclass
class Rig:
    """An engine whose networks are scripted."""

    engine: Qwen3Engine
    talker: FakeTalker
    predictor: FakePredictor = field(default_factory=FakePredictor)
    vocoder: FakeVocoder = field(default_factory=FakeVocoder)
    compiled: list[int] = field(default_factory=list)

    def speak(
        self, *sentences: Sentence, options: SpeechOptions = GREEDY, voices: dict[Lang, str] = VOICES
    ) -> Iterator[PcmChunk]:
        return self.engine.synthesize(SynthJob("job", sentences, voices, options=options))


MakeRig = Callable[..., Rig]


@pytest.fixture(params=[1, 4], ids=["in turn", "overlapped"])
def rig(model: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[MakeRig]:
    """Makes a rig from a talker's script; afterwards no thread may be left."""
    before = set(threading.enumerate())

    def make(script: Callable[[int, int], int], **vocoder: Any) -> Rig:
        engine = Qwen3Engine(model, threads=request.param, cache_dir=None)
        made = Rig(engine, FakeTalker(script), vocoder=FakeVocoder(**vocoder))

        def load(files: object, settings: Any) -> Networks:
            made.compiled.append(settings.threads)
            return Networks(made.talker, made.predictor, made.vocoder)

        monkeypatch.setattr(engine_module, "load_networks", load)
        return made

    yield make
    gc.collect()
    assert set(threading.enumerate()) == before


def frames_of(chunks: list[PcmChunk], sentence: int = 0) -> float:
    return sum(len(chunk.samples) for chunk in chunks if chunk.sentence_index == sentence) / FRAME


def take_into(heard: list[PcmChunk], stream: Iterator[PcmChunk]) -> None:
    """Keeps what comes before an error."""
    for chunk in stream:
        heard.append(chunk)


def test_a_job_is_spoken_sentence_by_sentence_with_exact_pauses(rig: MakeRig) -> None:
    """Every frame of each sentence, then its pause of zeros."""
    sentences = (Sentence("zh", "你好，请到三号窗口。", 250), Sentence("en", "Gate twelve.", 40))
    chunks = list(rig(ending_after(20, 13)).speak(*sentences))
    assert frames_of(chunks, 0) == 20 + 0.250 * RATE_HZ / FRAME
    assert frames_of(chunks, 1) == 13 + 0.040 * RATE_HZ / FRAME
    assert [chunk.sentence_index for chunk in chunks] == sorted(chunk.sentence_index for chunk in chunks)
    pauses = [chunk.samples for chunk in chunks if not chunk.samples.any()]
    assert [len(pause) for pause in pauses] == [6000, 960]
    assert {chunk.sample_rate_hz for chunk in chunks} == {RATE_HZ}


@pytest.mark.parametrize("length", [9, 10, 11, 12, 13, 14, 50, MOST])
def test_the_last_words_are_not_swallowed(rig: MakeRig, length: int) -> None:
    """Wherever the end comes, all samples of the frames before it are heard, to the last one."""
    samples = np.concatenate([chunk.samples for chunk in rig(ending_after(length)).speak(HELLO)])
    assert len(samples) == length * FRAME
    assert samples[-1] == np.float32(0.1 + never_ending(length - 1) / 4096)


def test_the_first_chunk_is_one_frame(rig: MakeRig) -> None:
    """It leaves before a second frame has been generated."""
    made = rig(ending_after(40))
    stream = made.speak(HELLO)
    assert len(next(stream).samples) == FRAME
    assert made.talker.steps == 0
    assert frames_of(list(stream)) == 39


def test_speech_without_end_is_tried_again_once(rig: MakeRig, caplog: pytest.LogCaptureFixture) -> None:
    """The sentence is said again from its beginning after a pause, with another draw; the log says why."""
    made = rig(ending_after(10**6, 30))
    chunks = list(made.speak(HELLO))
    assert made.talker.utterances == 2
    heard = np.concatenate([chunk.samples for chunk in chunks])
    (pause,) = [index for index, chunk in enumerate(chunks) if not chunk.samples.any()]
    assert len(chunks[pause].samples) == 0.4 * RATE_HZ
    assert frames_of(chunks[pause + 1 :]) == 30
    assert len(heard) <= (MOST + AGAIN + 30) * FRAME
    assert "did not end" in caplog.text


def test_speech_that_never_ends_is_an_error(rig: MakeRig) -> None:
    """Forced never-EOS logits: bounded noise, no more than twice what the text can take, then `runaway`."""
    made = rig(ending_after(10**6))
    heard: list[PcmChunk] = []
    with pytest.raises(RunawayError, match="did not end") as caught:
        take_into(heard, made.speak(HELLO))
    assert caught.value.code == "runaway"
    assert made.talker.utterances == 2
    assert MOST < frames_of(heard) <= 2 * MOST + AGAIN


def test_one_character_does_not_become_half_a_minute(rig: MakeRig) -> None:
    """ "1次" without an end: under 8 s altogether, both tries and the pause."""
    heard: list[PcmChunk] = []
    with pytest.raises(RunawayError):
        take_into(heard, rig(ending_after(10**6)).speak(Sentence("zh", "一次", 0)))
    assert frames_of(heard) < 8 * 12.5


def test_swallowed_words_are_tried_again(rig: MakeRig) -> None:
    """Two frames cannot hold ten syllables; the second draw speaks them all."""
    chunks = list(rig(ending_after(2, 30)).speak(HELLO))
    assert frames_of(chunks) == 1 + AGAIN + 30


def test_falling_silent_is_tried_again(rig: MakeRig) -> None:
    """Two seconds of silence inside a sentence, twice: an error."""
    made = rig(ending_after(90), silent_from=20)
    with pytest.raises(RunawayError, match="silent"):
        list(made.speak(HELLO))
    assert made.talker.utterances == 2


def test_going_in_circles_is_tried_again(rig: MakeRig) -> None:
    """The same three codes for 3 s, then a sane draw."""

    def script(utterance: int, frame: int) -> int:
        if utterance == 0:
            return frame % 3
        return never_ending(frame) if frame < 25 else EOS

    made = rig(script)
    assert frames_of(list(made.speak(HELLO))) < 38 + AGAIN + 25
    assert made.talker.utterances == 2


def test_max_seconds_bounds_a_sentence_and_is_no_fault(rig: MakeRig) -> None:
    """Whoever sets it gets what fits."""
    made = rig(ending_after(10**6))
    options = SpeechOptions(seed=1, temperature=0, max_seconds=1.6)
    assert frames_of(list(made.speak(HELLO, options=options))) == 20
    assert made.talker.utterances == 1


def test_max_seconds_bounds_both_tries_together(rig: MakeRig) -> None:
    """A sentence that is said again has what the first try left."""
    made = rig(ending_after(10**6))
    seconds = (MOST + 20) / 12.5
    heard = list(made.speak(HELLO, options=SpeechOptions(seed=1, temperature=0, max_seconds=seconds)))
    assert made.talker.utterances == 2
    assert frames_of(heard) <= MOST + 20 + AGAIN


def test_max_seconds_bounds_the_parts_of_a_sentence_together(rig: MakeRig) -> None:
    """A sentence that is spoken in several parts is still one sentence."""
    long = Sentence("zh", "前往机场的列车大约晚点二十分钟，" * 12, 0)
    made = rig(ending_after(60))
    assert frames_of(list(made.speak(long, options=SpeechOptions(temperature=0, max_seconds=8)))) == 100


def test_a_long_sentence_is_spoken_in_parts_with_nothing_lost(rig: MakeRig) -> None:
    """Each part is an utterance of its own, in the same voice."""
    made = rig(ending_after(150))
    chunks = list(made.speak(Sentence("zh", "前往机场的列车大约晚点二十分钟，" * 12, 0)))
    assert made.talker.utterances > 1
    assert frames_of(chunks) == 150 * made.talker.utterances


@pytest.mark.parametrize("taken", [0, 1, 2, 3])
def test_cancelling_leaves_nothing_behind(rig: MakeRig, taken: int) -> None:
    """The iterator is closed between chunks; the next job is spoken whole."""
    made = rig(ending_after(90, 90, 20))
    stream = made.speak(HELLO, HELLO)
    for _ in range(taken):
        next(stream)
    generated = made.talker.steps
    stream.close()  # type: ignore[attr-defined]
    assert made.talker.steps == generated
    assert frames_of(list(made.speak(HELLO))) > 0


def test_a_stalled_listener_costs_nothing(rig: MakeRig) -> None:
    """Between two chunks nothing is generated, however long nobody asks."""
    made = rig(ending_after(90))
    stream = made.speak(HELLO)
    next(stream), next(stream)
    assert made.talker.steps <= 4 + 8
    del stream


def test_a_failing_vocoder_fails_the_job(rig: MakeRig) -> None:
    """Not a short stream; and the engine speaks again afterwards."""
    made = rig(ending_after(30), fails_at=2)
    with pytest.raises(RuntimeError, match="broke"):
        list(made.speak(HELLO))
    made.vocoder.fails_at = None
    assert frames_of(list(made.speak(HELLO))) == 30


@pytest.mark.parametrize(
    "options", [SpeechOptions(language="klingon"), SpeechOptions(top_p=2), SpeechOptions(dialect="cockney")]
)
def test_a_bad_option_is_refused_before_the_first_sample(rig: MakeRig, options: SpeechOptions) -> None:
    """Nothing is generated."""
    made = rig(ending_after(30))
    with pytest.raises(BadInputError):
        next(made.speak(HELLO, options=options))
    assert not made.talker.given


def test_an_unknown_voice_is_refused(rig: MakeRig) -> None:
    """By name, with those there are."""
    with pytest.raises(UnknownVoiceError, match="serena"):
        next(rig(ending_after(30)).speak(HELLO, voices={"zh": "nobody"}))


def test_threads_take_effect_at_the_next_sentence(rig: MakeRig) -> None:
    """The networks are compiled once per change, and not for the same number."""
    made = rig(ending_after(20))
    list(made.speak(HELLO))
    made.engine.set_threads(made.compiled[0])
    list(made.speak(HELLO))
    assert len(made.compiled) == 1
    made.engine.set_threads(3)
    list(made.speak(HELLO))
    assert made.compiled[1:] == [3]


def test_the_seed_in_use_is_logged(rig: MakeRig, caplog: pytest.LogCaptureFixture) -> None:
    """So that speech nobody gave a seed for can be had again."""
    caplog.set_level(logging.INFO)
    list(rig(ending_after(20)).speak(HELLO, options=SpeechOptions(temperature=0)))
    assert "seed" in caplog.text


def test_chosen_pinyin_is_spelt_with_homophones(rig: MakeRig, caplog: pytest.LogCaptureFixture) -> None:
    """The talker is given the characters that sound so; the log names a reading that none has."""
    caplog.set_level(logging.INFO)
    chosen = Sentence("zh", "重庆得等", 0, (Pinyin(0, 3, ("chong2", "qing4", "dei3")),))
    prompts = []
    for sentence in (chosen, Sentence("zh", "虫庆得等", 0), Sentence("zh", "重庆得等", 0)):
        made = rig(ending_after(20))
        list(made.speak(sentence))
        prompts.append(made.talker.given[0])
    np.testing.assert_array_equal(prompts[0], prompts[1])
    assert prompts[0].shape != prompts[2].shape or (prompts[0] != prompts[2]).any()
    assert caplog.text.count("得 dei3") == 1


# --- with real networks, tiny and with random weights: the speech is noise, and ends where it likes ---

TWO = (Sentence("zh", "你好，请到三号窗口。", 100), Sentence("en", "Gate twelve is open.", 0))


@pytest.fixture(scope="module")
def engine(model: Path) -> Iterator[Qwen3Engine]:
    """One engine for all tests: compiling takes a second."""
    engine = Qwen3Engine(model, threads=2, cache_dir=None)
    engine.warm_up()
    yield engine
    engine.close()


def spoken(engine: Qwen3Engine, options: SpeechOptions, voices: dict[Lang, str] = VOICES) -> list[PcmChunk]:
    return list(engine.synthesize(SynthJob("job", TWO, voices, options=options)))


def samples_of(chunks: list[PcmChunk]) -> Any:
    return np.concatenate([chunk.samples for chunk in chunks])


def test_the_same_seed_sounds_the_same(engine: Qwen3Engine) -> None:
    """Another seed, another sentence and another voice do not."""
    options = SpeechOptions(seed=7, max_seconds=1)
    first, again = (samples_of(spoken(engine, options)) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    other_seed = samples_of(spoken(engine, SpeechOptions(seed=8, max_seconds=1)))
    other_voice = samples_of(spoken(engine, options, {"zh": "uncle_fu", "en": "aiden"}))
    assert not np.array_equal(first[:FRAME], other_seed[:FRAME])
    assert not np.array_equal(first[:FRAME], other_voice[:FRAME])


def test_sentences_draw_independently_of_each_other(engine: Qwen3Engine) -> None:
    """The second sentence sounds the same whether the first is long or short."""
    ends = []
    for text in ("你好，请到三号窗口。", "请等。"):
        sentences = (Sentence("zh", text, 0), Sentence("en", "Gate twelve is open.", 0))
        job = SynthJob("job", sentences, VOICES, options=SpeechOptions(seed=3, max_seconds=0.8))
        chunks = [chunk for chunk in engine.synthesize(job) if chunk.sentence_index == 1]
        ends.append(samples_of(chunks))
    np.testing.assert_array_equal(*ends)


def test_samples_are_within_full_scale_and_of_whole_frames(engine: Qwen3Engine) -> None:
    """Mono float32, 80 ms each, every chunk of its own memory."""
    chunks = spoken(engine, SpeechOptions(seed=1, max_seconds=2))
    assert all(chunk.samples.dtype == np.float32 and chunk.samples.ndim == 1 for chunk in chunks)
    assert max(float(np.abs(chunk.samples).max()) for chunk in chunks) <= 1
    before = [chunk.samples.copy() for chunk in chunks]
    spoken(engine, SpeechOptions(seed=2, max_seconds=2))
    for kept, chunk in zip(before, chunks, strict=True):
        np.testing.assert_array_equal(kept, chunk.samples)


def test_chunking_is_not_heard(engine: Qwen3Engine) -> None:
    """What the engine streams is what the vocoder makes of all its codes at once."""
    vocoder = engine.networks().vocoder
    codes = np.random.default_rng(0).integers(0, 2048, (29, 16))
    streamed = np.concatenate([samples for samples, _ in decoded(iter(codes), vocoder)])
    vocoder.reset()
    np.testing.assert_allclose(streamed, vocoder(codes), atol=1e-5)


@pytest.mark.parametrize(("kind", "voice"), [("base", "ada"), ("voice_design", "design")])
def test_the_other_kinds_of_model_speak(tmp_path: Path, kind: str, voice: str) -> None:
    """A cloned voice by its file, a designed one by its description; options tell what has an effect."""
    engine = Qwen3Engine(write_tiny_model(tmp_path, kind), threads=1, cache_dir=None)
    chunks = spoken(engine, SpeechOptions(seed=1, max_seconds=0.5), {"zh": voice, "en": voice})
    assert frames_of(chunks, 0) >= 6
    assert ("instruct" in engine.info.options) == (kind == "voice_design")
    assert "speed" not in engine.info.options
    engine.close()


def test_a_missing_network_is_named(model: Path, tmp_path: Path) -> None:
    """Found when the engine warms up, with the way to repair it."""
    broken = Path(shutil.copytree(model, tmp_path / "broken"))
    (broken / "talker.xml").unlink()
    engine = Qwen3Engine(broken, threads=1, cache_dir=None)
    with pytest.raises(ModelUnavailableError, match=r"talker\.xml"):
        engine.warm_up()
