"""The synth process, spoken to as main does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edged.audio import wav
from edged.config.schema import Config
from edged.engine.base import SpeechOptions
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

    def until_end(self) -> list[Message]:
        """Messages up to the one that ends the job."""
        heard: list[Message] = []
        while not heard or not isinstance(heard[-1], SynthEnd | SynthFailed | SynthCancelled):
            heard.append(self.next().message)
        return heard


def say(job_id: str, text: str, **how: Any) -> Speak:
    return Speak(job_id=job_id, pieces=(Words(text),), **how)


def config(**speech: object) -> Config:
    return Config.model_validate({"speech": {"engine": "tone", **speech}})


@pytest.fixture
def synth() -> Iterator[Synth]:
    with spawned("edged.workers.synth", config(max_ahead_s=2), DEADLINE_S) as channel:
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
    assert end.audio_ms == 7 * 80 + 350  # seven tones and a pause
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
    clips = Config.model_validate({"speech": {"engine": "tone"}, "paths": {"clips_dir": tmp_path}})
    (tmp_path / "ding.wav").write_bytes(wav.encode(np.full(800, 0.5, np.float32), 8000))
    with spawned("edged.workers.synth", clips, DEADLINE_S) as channel:
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
    assert end.audio_ms == 3 * (5 * 80 + 350) + 2 * 500


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
    assert end.audio_ms == 2 * 80 + 120 + 7 * 80
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
