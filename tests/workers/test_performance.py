"""Cues made into sound, with the tone engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from edged.audio import wav
from edged.audio.chime_sound import CHIME_LUFS
from edged.audio.loudness import integrated_lufs
from edged.config.schema import SpeechConfig
from edged.engine.base import PcmChunk, Samples, SynthJob
from edged.engine.tone import SAMPLE_RATE_HZ, ToneEngine
from edged.text.content import Clip, Silence
from edged.text.sentence import Sentence
from edged.workers.clips import Clips
from edged.workers.messages import Speak
from edged.workers.performance import Performance
from edged.workers.repeats import cues
from edged.workers.script import Item
from edged.workers.voicing import resolve

HI, YOU = Sentence("en", "Hi.", 0), Sentence("en", "You", 0)
SECOND = SAMPLE_RATE_HZ


class CountingEngine(ToneEngine):
    """Remembers what it was asked to say."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def synthesize(self, job: SynthJob) -> Iterator[PcmChunk]:
        self.said += [sentence.spoken for sentence in job.sentences]
        return super().synthesize(job)


class Stage:
    """A performance and its engine."""

    def __init__(self, folder: Path) -> None:
        self.engine = CountingEngine()
        voicing = resolve(self.engine.info, SpeechConfig(), Speak(job_id="a", pieces=()))
        self.performance = Performance("a", self.engine, voicing, Clips(folder, CHIME_LUFS))

    def chunks(
        self, items: Iterable[Item], times: int = 1, mode: Literal["each", "whole"] = "whole"
    ) -> list[PcmChunk]:
        return list(self.performance.chunks(cues(items, times, 1000, mode)))

    def sound(self, *items: Item, times: int = 1, mode: Literal["each", "whole"] = "whole") -> Samples:
        return np.concatenate([chunk.samples for chunk in self.chunks(items, times, mode)])


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_items_become_one_stream(tmp_path: Path, stage: Stage) -> None:
    """At the engine's rate, in order, each of its length; pauses go on with the item before."""
    (tmp_path / "ding.wav").write_bytes(
        wav.encode((np.sin(np.arange(4800) / 8) / 9).astype(np.float32), 48000)
    )
    chunks = stage.chunks([Silence(1500), HI, Silence(250), Clip("ding.wav"), YOU])
    assert [chunk.sentence_index for chunk in chunks] == [0, 0, 0, 0, 1, 1, 2]
    assert {chunk.sample_rate_hz for chunk in chunks} == {SAMPLE_RATE_HZ}
    sound = np.concatenate([chunk.samples for chunk in chunks])
    at_hi, at_ding, at_you = 1.5 * SECOND, 1.91 * SECOND, 2.01 * SECOND
    assert not np.any(sound[: int(at_hi)])
    assert np.any(sound[int(at_hi) : int(at_hi) + 100])
    ding = sound[int(at_ding) : int(at_you)]
    assert integrated_lufs(ding, SAMPLE_RATE_HZ) == pytest.approx(CHIME_LUFS, abs=0.1)
    assert len(sound) == pytest.approx(at_you + 0.24 * SECOND, abs=2)


@pytest.mark.parametrize("mode", ["each", "whole"])
def test_what_is_said_again_is_made_once(stage: Stage, mode: Literal["each", "whole"]) -> None:
    """The second time sounds like the first, without the engine."""
    sound = stage.sound(HI, Silence(350), YOU, times=3, mode=mode)
    assert stage.engine.said == ["Hi.", "You"]
    gap, pause = Silence(1000), Silence(350)
    order: list[Item] = [HI, pause, YOU, gap, HI, pause, YOU, gap, HI, pause, YOU]
    if mode == "each":
        order = [HI, gap, HI, gap, HI, pause, YOU, gap, YOU, gap, YOU]
    assert np.array_equal(sound, stage.sound(*order))


def test_more_than_a_minute_is_made_again(stage: Stage) -> None:
    """Memory is bounded: what was kept is not made again, the rest is."""
    long = [Sentence("en", letter * 250, 0) for letter in "abcde"]  # 20 s each
    once = stage.sound(*long)
    assert np.array_equal(
        stage.sound(*long, times=2), np.concatenate([once, np.zeros(SECOND, np.float32), once])
    )
    assert [said[0] for said in stage.engine.said] == list("abcde" + "abcde" + "de")


def test_what_was_said_for_the_last_time_makes_room(stage: Stage) -> None:
    """Each sentence after the other needs no more than its own."""
    long = [Sentence("en", letter * 250, 0) for letter in "abcde"]
    stage.sound(*long, times=2, mode="each")
    assert [said[0] for said in stage.engine.said] == list("abcde")


def test_a_clip_that_has_gone_meanwhile_is_told(tmp_path: Path, stage: Stage) -> None:
    """The rest is heard."""
    assert np.array_equal(stage.sound(Clip("gone.wav"), HI), stage.sound(HI))
    assert stage.performance.warnings == ["clip_skipped: gone.wav: No such file or directory"]


def test_it_knows_whether_all_speech_was_kept(tmp_path: Path) -> None:
    """A hit when every sentence was, a miss when one was not, nothing where nothing is kept."""

    class Answering(CountingEngine):
        """The cache's answer to a sentence is its text."""

        def synthesize(self, job: SynthJob) -> Iterator[PcmChunk]:
            answer = {"hit": "hit", "miss": "miss"}.get(job.sentences[0].spoken)
            for chunk in super().synthesize(job):
                yield replace(chunk, cache=answer)  # type: ignore[arg-type]

    hit, miss = Sentence("en", "hit", 0), Sentence("en", "miss", 0)
    for sentences, answer in (([HI], None), ([hit, hit], "hit"), ([hit, miss, hit], "miss"), ([], None)):
        engine = Answering()
        voicing = resolve(engine.info, SpeechConfig(), Speak(job_id="a", pieces=()))
        performance = Performance("a", engine, voicing, Clips(tmp_path, CHIME_LUFS))
        list(performance.chunks(cues(sentences, 1, 0, "whole")))
        assert performance.cache == answer
