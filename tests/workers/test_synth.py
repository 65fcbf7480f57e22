"""The synth process, spoken to as main does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from edged.config.schema import Config
from edged.engine.base import SpeechOptions
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
        self._frames = (f for f in channel.frames() if not isinstance(f.message, Heartbeat))

    def next(self) -> Frame:
        return next(self._frames)

    def until_end(self) -> list[Message]:
        """Messages up to the one that ends the job."""
        heard: list[Message] = []
        while not heard or not isinstance(heard[-1], SynthEnd | SynthFailed | SynthCancelled):
            heard.append(self.next().message)
        return heard


def config(**speech: object) -> Config:
    return Config.model_validate({"speech": {"engine": "tone", **speech}})


@pytest.fixture
def synth() -> Iterator[Synth]:
    with spawned("edged.workers.synth", config(max_ahead_s=2), DEADLINE_S) as channel:
        child = Synth(channel)
        assert isinstance(child.next().message, SynthReady)
        yield child


def test_a_job_is_planned_streamed_and_ended(synth: Synth) -> None:
    """Planned first, a chunk a sentence, the end last, with the figures of what was sent."""
    synth.send(Speak(job_id="a", text="Hello. 你好。"))
    planned, *chunks, end = synth.until_end()
    assert planned == Planned(job_id="a", voice="tone", sentences=2, warnings=())
    assert [chunk.sentence_index for chunk in chunks if isinstance(chunk, Audio)] == [0, 1]
    assert isinstance(end, SynthEnd)
    assert end.audio_ms > 7 * 80  # seven tones
    assert 0 < end.first_chunk_ms <= end.synth_ms


def test_it_stays_ahead_of_playback_only_so_far(synth: Synth) -> None:
    """A stop wastes little: synthesis waits for what has been played, and goes on when it is told."""
    synth.send(Speak(job_id="a", text="One two three. " * 10))
    synth.next()
    sent_ms = 0.0
    while sent_ms <= 2000:
        frame = synth.next()
        assert isinstance(frame.message, Audio)
        sent_ms += len(frame.samples()) / 24
    # nothing more comes now: the cancel is what it hears next, not a further chunk
    synth.send(CancelSpeak(job_id="a"))
    assert synth.next().message == SynthCancelled(job_id="a")
    synth.send(Speak(job_id="b", text="One two three. " * 10))
    synth.send(Played(job_id="b", played_ms=60000))
    assert isinstance(synth.until_end()[-1], SynthEnd)


def test_text_without_anything_to_say_fails_the_job_only(synth: Synth) -> None:
    """The job is answered with its code, the next one is spoken."""
    synth.send(Speak(job_id="a", text="☃"))
    (failed,) = synth.until_end()
    assert isinstance(failed, SynthFailed)
    assert (failed.job_id, failed.code) == ("a", "empty")
    synth.send(SetThreads(threads=1))
    synth.send(Speak(job_id="b", text="Hello"))
    assert isinstance(synth.until_end()[-1], SynthEnd)


def test_an_unknown_voice_is_replaced_with_a_warning(synth: Synth) -> None:
    """Silence is the worst answer to a wrong name."""
    synth.send(Speak(job_id="a", text="Hello", voice="nobody"))
    planned = synth.until_end()[0]
    assert isinstance(planned, Planned)
    assert planned.warnings == ("voice_fallback: nobody",)


def test_options_it_has_no_use_for_are_named(synth: Synth) -> None:
    """They travel with the job; the tones are none the worse."""
    synth.send(Speak(job_id="a", text="Hello", options=SpeechOptions(seed=7, instruct="calm")))
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
        synth.send(Speak(job_id="a", text="Hello"))
        (failed,) = synth.until_end()
        assert isinstance(failed, SynthFailed)
        assert failed.code == "model_unavailable"
