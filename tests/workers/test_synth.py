"""The synth process, spoken to as main does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edged.audio import wav
from edged.audio.chime_sound import chime_samples
from edged.config.schema import Config
from edged.engine.base import Samples, SpeechOptions
from edged.text.content import Clip, Silence, Words
from edged.workers.child import spawned
from edged.workers.frames import Frame, FrameSocket
from edged.workers.messages import (
    Audio,
    CancelSpeak,
    Heartbeat,
    Message,
    Planned,
    Played,
    Preload,
    SetThreads,
    Speak,
    SpeakMore,
    SynthCancelled,
    SynthEnd,
    SynthFailed,
    SynthReady,
    SynthUnavailable,
)

DEADLINE_S = 30.0


class Synth:
    """The channel to a synth child, without its heartbeats."""

    def __init__(self, channel: FrameSocket) -> None:
        self.send = channel.send
        self._all = channel.frames()
        self._frames = (f for f in self._all if not isinstance(f.message, Heartbeat))

    def next(self) -> Frame:
        return next(self._frames)

    def next_heartbeat(self) -> str:
        """What it does."""
        return next(f.message.doing for f in self._all if isinstance(f.message, Heartbeat))

    def sound_until_end(self) -> Samples:
        """What is heard of the job."""
        chunks: list[Samples] = []
        while isinstance((frame := self.next()).message, Audio):
            chunks.append(frame.samples())
        assert isinstance(frame.message, SynthEnd)
        return np.concatenate(chunks)

    def until_end(self) -> list[Message]:
        """Messages up to the one that ends the job."""
        heard: list[Message] = []
        while not heard or not isinstance(heard[-1], SynthEnd | SynthFailed | SynthCancelled):
            heard.append(self.next().message)
        return heard


def say(job_id: str, text: str, **how: Any) -> Speak:
    return Speak(job_id=job_id, pieces=(Words(text),), **how)


def config(folder: Path, **speech: object) -> Config:
    paths = {"clips_dir": folder / "clips", "cache_dir": folder / "cache"}
    return Config.model_validate({"speech": {"engine": "tone", **speech}, "paths": paths})


@pytest.fixture
def synth(tmp_path: Path) -> Iterator[Synth]:
    with spawned("edged.workers.synth", config(tmp_path, max_ahead_s=2), DEADLINE_S) as channel:
        child = Synth(channel)
        assert isinstance(child.next().message, SynthReady)
        yield child


def test_a_job_is_planned_streamed_and_ended(synth: Synth) -> None:
    """Planned first, sentence by sentence, the end last, with the figures of what was sent."""
    synth.send(say("a", "Hello. 你好。"))
    planned, *chunks, end = synth.until_end()
    assert planned == Planned(job_id="a", voice="tone", sentences=2, warnings=())
    assert [chunk.sentence_index for chunk in chunks if isinstance(chunk, Audio)] == [0, 0, 1]
    assert isinstance(end, SynthEnd)
    assert end.audio_ms == 7 * 80 + 600  # seven tones and a pause
    assert 0 < end.first_chunk_ms <= end.synth_ms
    assert end.warnings == ()


def test_it_stays_ahead_of_playback_only_so_far(synth: Synth) -> None:
    """A stop wastes little: synthesis waits for what has been played, and goes on when it is told."""
    synth.send(say("a", "One two three. " * 10))
    synth.next()
    sent_ms = 0.0
    while sent_ms <= 2000:
        frame = synth.next()
        assert isinstance(frame.message, Audio)
        sent_ms += len(frame.samples()) / 24
    # nothing more comes now: the cancel is what it hears next, not a further chunk
    synth.send(CancelSpeak(job_id="a"))
    assert synth.next().message == SynthCancelled(job_id="a")
    synth.send(say("b", "One two three. " * 10))
    synth.send(Played(job_id="b", played_ms=60000))
    assert isinstance(synth.until_end()[-1], SynthEnd)


def test_text_without_anything_to_say_fails_the_job_only(synth: Synth) -> None:
    """The job is answered with its code, the next one is spoken."""
    synth.send(say("a", "☃"))
    (failed,) = synth.until_end()
    assert isinstance(failed, SynthFailed)
    assert (failed.job_id, failed.code) == ("a", "empty")
    synth.send(SetThreads(threads=1))
    synth.send(say("b", "Hello"))
    assert isinstance(synth.until_end()[-1], SynthEnd)


def test_an_unknown_voice_is_replaced_with_a_warning(synth: Synth) -> None:
    """Silence is the worst answer to a wrong name."""
    synth.send(say("a", "Hello", voice="nobody"))
    planned = synth.until_end()[0]
    assert isinstance(planned, Planned)
    assert planned.warnings == ("voice_fallback: nobody",)


def test_options_it_has_no_use_for_are_named(synth: Synth) -> None:
    """They travel with the job; the tones are none the worse."""
    synth.send(say("a", "Hello", options=SpeechOptions(seed=7, instruct="calm")))
    planned, *_, end = synth.until_end()
    assert isinstance(planned, Planned)
    assert planned.warnings == ("not_active: instruct", "not_active: options.seed")
    assert isinstance(end, SynthEnd)


def test_without_a_model_every_job_is_answered_with_the_reason(tmp_path: Path) -> None:
    """The process stays: main can tell what is missing and what to do."""
    missing = Config.model_validate({"paths": {"models_dir": tmp_path / "none"}})
    with spawned("edged.workers.synth", missing, DEADLINE_S) as channel:
        synth = Synth(channel)
        unavailable = synth.next().message
        assert isinstance(unavailable, SynthUnavailable)
        assert unavailable.hint == "edged model install kokoro"
        synth.send(say("a", "Hello"))
        (failed,) = synth.until_end()
        assert isinstance(failed, SynthFailed)
        assert failed.code == "model_unavailable"


def test_pieces_become_one_stream(tmp_path: Path) -> None:
    """Words, codes, clips and pauses; a clip that is missing is told, the rest is heard."""
    (tmp_path / "clips").mkdir()
    (tmp_path / "clips" / "ding.wav").write_bytes(wav.encode(np.full(800, 0.5, np.float32), 8000))
    with spawned("edged.workers.synth", config(tmp_path), DEADLINE_S) as channel:
        synth = Synth(channel)
        synth.next()
        pieces = (Clip("ding.wav"), Words("Hi"), Silence(200), Words("A1", "en", "spell"), Clip("none.wav"))
        synth.send(Speak(job_id="a", pieces=pieces))
        planned, *_, end = synth.until_end()
        assert isinstance(planned, Planned)
        assert (planned.sentences, planned.voice) == (2, "tone")
        assert planned.warnings == ("clip_skipped: none.wav: No such file or directory",)
        assert isinstance(end, SynthEnd)
        assert end.audio_ms == pytest.approx(100 + 2 * 80 + 200 + 4 * 80, abs=0.1)
        synth.send(Speak(job_id="b", pieces=(Clip("none.wav"),)))
        (failed,) = synth.until_end()
        assert isinstance(failed, SynthFailed)
        assert failed.code == "bad_field"
        assert "none.wav: No such file" in failed.what


def test_a_job_is_said_as_often_as_asked(synth: Synth) -> None:
    """In one stream, gaps included, with one plan and one end."""
    synth.send(say("a", "Hi. You", repeat=3, repeat_gap_ms=500, repeat_mode="whole"))
    synth.send(Played(job_id="a", played_ms=60000))
    planned, *chunks, end = synth.until_end()
    assert isinstance(planned, Planned)
    assert planned.sentences == 2
    indexes = [chunk.sentence_index for chunk in chunks if isinstance(chunk, Audio)]
    assert indexes == sorted(indexes)
    assert set(indexes) == set(range(6))
    assert isinstance(end, SynthEnd)
    assert end.audio_ms == 3 * (5 * 80 + 600) + 2 * 500


def test_growing_text_is_spoken_clause_by_clause(synth: Synth) -> None:
    """The first clause sounds before the second part is sent; one plan, one end, and what came up later."""
    synth.send(say("a", "☺您好，☃", is_open=True))
    early = ("skipped_symbol: U+263A",)
    assert synth.next().message == Planned(job_id="a", voice="tone", sentences=1, warnings=early)
    assert isinstance(synth.next().message, Audio)
    synth.send(SpeakMore(job_id="a", text="请到1", is_last=False))
    synth.send(SpeakMore(job_id="a", text="5号窗口。", is_last=True))
    *chunks, end = synth.until_end()
    assert [chunk.sentence_index for chunk in chunks if isinstance(chunk, Audio)] == [0, 1]
    assert isinstance(end, SynthEnd)
    assert end.audio_ms == 2 * 80 + 300 + 7 * 80
    assert end.warnings == ("skipped_symbol: U+2603",)
    assert end.first_chunk_ms > 0


def test_growing_text_that_never_says_anything_is_empty(synth: Synth) -> None:
    """Once its last part is there."""
    synth.send(say("a", "", is_open=True))
    synth.send(SpeakMore(job_id="a", text="☃", is_last=False))
    synth.send(SpeakMore(job_id="a", text="", is_last=True))
    (failed,) = synth.until_end()
    assert isinstance(failed, SynthFailed)
    assert (failed.code, "U+2603" in failed.what) == ("empty", True)


def test_waiting_for_text_can_be_cancelled(synth: Synth) -> None:
    """Before the first clause and after it; more text of a job that is gone is dropped."""
    synth.send(say("a", "您", is_open=True))
    synth.send(CancelSpeak(job_id="a"))
    assert synth.until_end() == [SynthCancelled(job_id="a")]
    synth.send(say("b", "您好，请", is_open=True))
    assert isinstance(synth.next().message, Planned)
    assert isinstance(synth.next().message, Audio)
    synth.send(CancelSpeak(job_id="b"))
    assert synth.until_end() == [SynthCancelled(job_id="b")]
    synth.send(SpeakMore(job_id="b", text="到", is_last=True))
    synth.send(say("c", "Hello"))
    assert isinstance(synth.until_end()[-1], SynthEnd)


def test_it_says_what_it_waits_for(synth: Synth) -> None:
    """A job without text is no hang."""
    synth.send(say("a", "您", is_open=True))
    assert "waiting for the text of a" in (synth.next_heartbeat() for _ in range(3))


def test_a_job_cancelled_before_its_turn_makes_no_sound(synth: Synth) -> None:
    """Nothing of it is synthesised."""
    synth.send(say("a", "您", is_open=True))
    synth.send(say("b", "Hello"))
    synth.send(CancelSpeak(job_id="b"))
    synth.send(CancelSpeak(job_id="a"))
    assert [synth.next().message for _ in range(2)] == [
        SynthCancelled(job_id="a"),
        SynthCancelled(job_id="b"),
    ]


def test_tones_are_heard_once_around_all_repeats(synth: Synth) -> None:
    """Silence, chime, gap, the words twice, gap, chime; a chime that is not there is a warning beforehand."""
    tones = {"chime": "double-beep", "chime_end": "none.wav", "gap_ms": 100, "lead_in_ms": 50}
    synth.send(say("a", "Hi", repeat=2, repeat_gap_ms=300, **tones))
    planned = synth.next().message
    assert isinstance(planned, Planned)
    assert planned.warnings == ("clip_skipped: none.wav: No such file or directory",)
    heard = synth.sound_until_end()
    beeps = chime_samples("double-beep", 24000)
    assert len(heard) == 24 * 50 + len(beeps) + 24 * (100 + 160 + 300 + 160)
    assert not heard[: 24 * 50].any()
    assert np.array_equal(heard[24 * 50 :][: len(beeps)], beeps)
    assert np.array_equal(heard[-24 * 160 :], heard[-24 * (160 + 300 + 160) :][: 24 * 160])


def test_the_configured_chime_is_for_everybody(tmp_path: Path) -> None:
    """Who does not want it says so."""
    with spawned("edged.workers.synth", config(tmp_path, chime="key"), DEADLINE_S) as channel:
        synth = Synth(channel)
        assert isinstance(synth.next().message, SynthReady)
        lengths_ms = []
        for chime in (None, "none"):
            synth.send(say("a", "Hi", chime=chime))
            *_, end = synth.until_end()
            assert isinstance(end, SynthEnd)
            lengths_ms.append(round(end.audio_ms))
    assert lengths_ms == [60 + 250 + 160, 160]


def test_what_was_said_before_comes_out_of_the_cache(synth: Synth) -> None:
    """The end tells; repeats and chimes make no difference, and who wants it anew gets it anew."""
    answers = []
    for how in (
        {},
        {"repeat": 2, "repeat_gap_ms": 0, "chime": "key"},
        {"cache": "bypass"},
        {"speed": 2.0},
        {"cache": "pin"},
    ):
        synth.send(say("a", "A. B", **how))
        *_, end = synth.until_end()
        assert isinstance(end, SynthEnd)
        answers.append(end.cache)
    assert answers == ["miss", "hit", None, "miss", "hit"]
    synth.send(say("b", "A. C"))
    *_, end = synth.until_end()
    assert isinstance(end, SynthEnd)
    assert end.cache == "miss"


def test_without_room_nothing_is_kept(tmp_path: Path) -> None:
    """The cache can be turned off; nobody says that anything was missed."""
    with spawned("edged.workers.synth", config(tmp_path, cache_mb=0), DEADLINE_S) as channel:
        synth = Synth(channel)
        assert isinstance(synth.next().message, SynthReady)
        for _ in range(2):
            synth.send(say("a", "Hello"))
            *_, end = synth.until_end()
            assert isinstance(end, SynthEnd)
            assert end.cache is None
    assert not (tmp_path / "cache" / "phrases").exists()


def test_all_of_it_lasts_as_long_as_it_may(synth: Synth) -> None:
    """Tones, gaps, repeats and a text that comes in parts included; more than fits is not heard at all."""
    how = {"chime": "key", "gap_ms": 300, "repeat": 2, "repeat_gap_ms": 1000, "max_duration_ms": 1200}
    synth.send(say("a", "Hello", **how))  # 60 + 300 + 400 + 1000 + 400
    assert isinstance(synth.next().message, Planned)
    assert 1199 * 24 < len(synth.sound_until_end()) <= 1200 * 24
    synth.send(say("b", "您好。", is_open=True, max_duration_ms=950))
    synth.send(SpeakMore(job_id="b", text="您好", is_last=True))  # 160 + 600 + 160
    assert isinstance(synth.next().message, Planned)
    assert len(synth.sound_until_end()) == 920 * 24
    synth.send(say("c", "Hello", max_duration_ms=300))
    _, failed = synth.until_end()
    assert failed == SynthFailed(
        job_id="c", code="over_budget", what="max_duration_ms 300: 320 ms is the shortest it can be"
    )


def test_what_has_to_fit_can_be_cancelled(synth: Synth) -> None:
    """While it waits for its text, and while it is played."""
    synth.send(say("a", "您好，请", is_open=True, max_duration_ms=5000))
    assert isinstance(synth.next().message, Planned)
    synth.send(CancelSpeak(job_id="a"))
    assert synth.until_end() == [SynthCancelled(job_id="a")]
    synth.send(say("b", "One two three. " * 10, max_duration_ms=60000))
    assert isinstance(synth.next().message, Planned)
    assert isinstance(synth.next().message, Audio)
    synth.send(CancelSpeak(job_id="b"))
    assert isinstance(synth.until_end()[-1], SynthCancelled)


def test_there_is_a_limit_to_what_can_be_fitted(synth: Synth) -> None:
    """Memory is bounded; the job is refused, not the process lost."""
    synth.send(say("a", "abcde " * 160, repeat=10, max_duration_ms=3_600_000))
    *_, failed = synth.until_end()
    assert isinstance(failed, SynthFailed)
    assert (failed.code, "longer than 600 s" in failed.what) == ("over_budget", True)


def test_what_was_preloaded_is_there_when_it_is_said(synth: Synth) -> None:
    """Nothing is heard of it before."""
    synth.send(Preload(speak=say("preload", "Hello. You")))
    for _ in range(2):  # the second is sent a second after it could begin
        synth.next_heartbeat()
    synth.send(say("a", "Hello. You"))
    *_, end = synth.until_end()
    assert isinstance(end, SynthEnd)
    assert end.cache == "hit"
