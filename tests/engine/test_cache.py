"""What is kept of speech, when it is used, and what makes two sentences different."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from edged.engine import cache
from edged.engine.base import EngineInfo, PcmChunk, Samples, SpeechOptions, SynthJob, VoiceInfo
from edged.engine.cache import CachedEngine, phrase_key
from edged.engine.phrase_store import PhraseStore
from edged.engine.tone import ToneEngine
from edged.errors import RunawayError
from edged.text.sentence import Sentence

HELLO, YOU = Sentence("en", "Hello", 0), Sentence("en", "you", 120)
VOICES = (VoiceInfo("tone", ("zh", "en")), VoiceInfo("other", ("en",)))
STEP = 1 / 32767  # of 16 bits


class Speaker(ToneEngine):
    """Remembers what it said, in two chunks a sentence; `breaks` in the middle of this one."""

    def __init__(self, *options: str) -> None:
        super().__init__()
        self.options = frozenset(options or {"speed"})
        self.said: list[str] = []
        self.breaks = ""

    @property
    def info(self) -> EngineInfo:
        return replace(super().info, voices=VOICES, options=self.options)

    def synthesize(self, job: SynthJob) -> Iterator[PcmChunk]:
        for chunk in super().synthesize(job):
            spoken = job.sentences[chunk.sentence_index].spoken
            middle = len(chunk.samples) // 2
            yield replace(chunk, samples=chunk.samples[:middle])
            if spoken == self.breaks:
                raise RunawayError("no end")
            self.said.append(spoken)
            yield replace(chunk, samples=chunk.samples[middle:])


class Booth:
    """A cached engine."""

    def __init__(self, folder: Path, *options: str, most_bytes: int = 1 << 20) -> None:
        self.speaker = Speaker(*options)
        self.engine = CachedEngine(self.speaker, PhraseStore(folder, most_bytes, 24000), "digest")

    def say(self, *sentences: Sentence, **how: object) -> list[PcmChunk]:
        job = SynthJob("a", sentences or (HELLO,), {"zh": "tone", "en": "tone"})
        return list(self.engine.synthesize(replace(job, **how)))  # type: ignore[arg-type]

    def answers(self, **how: object) -> set[str | None]:
        return {chunk.cache for chunk in self.say(**how)}


@pytest.fixture
def booth(tmp_path: Path) -> Booth:
    return Booth(tmp_path)


def joined(chunks: list[PcmChunk]) -> Samples:
    return np.concatenate([chunk.samples for chunk in chunks])


def test_what_was_said_is_not_said_again(booth: Booth) -> None:
    """It sounds the same, sentence by sentence, and each chunk tells where it came from."""
    first = booth.say(HELLO, YOU)
    again = booth.say(YOU, HELLO, YOU)
    assert booth.speaker.said == ["Hello", "you"]
    assert [(chunk.sentence_index, chunk.cache) for chunk in first] == [
        (0, "miss"),
        (0, "miss"),
        (1, "miss"),
        (1, "miss"),
    ]
    assert [(chunk.sentence_index, chunk.cache) for chunk in again] == [(0, "hit"), (1, "hit"), (2, "hit")]
    assert np.allclose(joined(booth.say(HELLO, YOU)), joined(first), atol=STEP)


def test_another_process_finds_it_too(tmp_path: Path) -> None:
    """A restart forgets nothing."""
    Booth(tmp_path).say()
    assert Booth(tmp_path).answers() == {"hit"}


def test_a_long_phrase_comes_in_blocks(booth: Booth) -> None:
    """A second at most, so that a stop is heard at once."""
    long = Sentence("en", "a" * 40, 0)
    first = joined(booth.say(long))
    blocks = booth.say(long)
    assert max(len(chunk.samples) for chunk in blocks) == 24000
    assert np.allclose(joined(blocks), first, atol=STEP)


def test_speech_without_its_end_is_not_kept(booth: Booth) -> None:
    """Neither when somebody stopped it, nor when the engine failed."""
    speech = booth.engine.synthesize(SynthJob("a", (HELLO,), {"zh": "tone", "en": "tone"}))
    next(speech)
    del speech
    booth.speaker.breaks = "Hello"
    with pytest.raises(RunawayError):
        booth.say()
    booth.speaker.breaks = ""
    assert booth.answers() == {"miss"}
    assert booth.answers() == {"hit"}


def test_bypass_neither_looks_nor_keeps(booth: Booth) -> None:
    """It is the engine, and says nothing of the cache."""
    assert booth.answers(cache="bypass") == {None}
    assert booth.answers() == {"miss"}
    assert booth.answers(cache="bypass") == {None}
    assert booth.speaker.said == ["Hello"] * 3


def test_a_take_of_a_generative_engine_is_kept_when_it_is_to_be_pinned(tmp_path: Path) -> None:
    """It is different each time, until one is pinned, which is then what everybody hears."""
    booth = Booth(tmp_path, "seed")
    assert booth.answers() == {"miss"}
    assert booth.answers() == {"miss"}
    assert booth.answers(cache="pin") == {"miss"}
    assert booth.answers() == {"hit"}


def test_with_a_seed_a_generative_engine_is_as_any_other(tmp_path: Path) -> None:
    """The same seed is the same sound, another is another."""
    booth = Booth(tmp_path, "seed")
    assert booth.answers(options=SpeechOptions(seed=7)) == {"miss"}
    assert booth.answers(options=SpeechOptions(seed=7)) == {"hit"}
    assert booth.answers(options=SpeechOptions(seed=8)) == {"miss"}


def test_pinned_phrases_outlive_others(tmp_path: Path) -> None:
    """Pinned when it is made, or later when it is heard."""
    booth = Booth(tmp_path, most_bytes=60_000)  # three of them
    booth.say(HELLO, cache="pin")
    booth.say(YOU)
    booth.say(YOU, cache="pin")
    for letter in "bcdefgh":
        booth.say(Sentence("en", letter * 5, 0))
    booth.speaker.said.clear()
    booth.say(HELLO, YOU)
    assert booth.speaker.said == []


JOB = SynthJob("a", (HELLO,), {"zh": "tone", "en": "tone"})
INFO = EngineInfo("tone", 24000, VOICES)


@pytest.mark.parametrize(
    "other",
    [
        phrase_key(INFO, "digest", replace(JOB, sentences=(replace(HELLO, spoken="Hallo"),))),
        phrase_key(INFO, "digest", replace(JOB, sentences=(replace(HELLO, pause_ms=1),))),
        phrase_key(INFO, "digest", replace(JOB, sentences=(replace(HELLO, lang="zh"),))),
        phrase_key(INFO, "digest", replace(JOB, voices={"zh": "tone", "en": "other"})),
        phrase_key(INFO, "digest", replace(JOB, speed=1.1)),
        phrase_key(INFO, "digest2", JOB),
        phrase_key(INFO, None, JOB),
        phrase_key(replace(INFO, name="kokoro"), "digest", JOB),
        phrase_key(replace(INFO, sample_rate_hz=16000), "digest", JOB),
        phrase_key(replace(INFO, voices=(replace(VOICES[0], sha256="1"),)), "digest", JOB),
    ],
)
def test_everything_that_changes_the_sound_is_another_phrase(other: str) -> None:
    """Words, language, voice and its file, pace, model, engine, rate."""
    assert other != phrase_key(INFO, "digest", JOB)


@pytest.mark.parametrize("option", [field.name for field in fields(SpeechOptions)])
def test_every_option_is_part_of_the_key(option: str) -> None:
    """Also one that is added some day."""
    options = SpeechOptions(**{option: 1})  # type: ignore[arg-type]
    assert phrase_key(INFO, "digest", replace(JOB, options=options)) != phrase_key(INFO, "digest", JOB)


def test_another_edged_makes_it_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that was put right is heard at once."""
    before = phrase_key(INFO, "digest", JOB)
    monkeypatch.setattr(cache, "__version__", "0.0.1")
    assert phrase_key(INFO, "digest", JOB) != before


def test_what_does_not_change_the_sound_is_the_same_phrase() -> None:
    """Who asked, who speaks the other language, and how the cache is used."""
    same = replace(JOB, job_id="b", voices={"zh": "other", "en": "tone"}, cache="pin")
    assert phrase_key(INFO, "digest", same) == phrase_key(INFO, "digest", JOB)


def test_the_engine_behind_it_is_reached(booth: Booth) -> None:
    """What it is and can do is the engine's."""
    booth.engine.warm_up()
    booth.engine.set_threads(2)
    booth.engine.close()
    assert booth.engine.info == booth.speaker.info
