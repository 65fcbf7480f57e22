"""What is made while there is nothing to say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from edged.audio.chime_sound import CHIME_LUFS
from edged.config.schema import Config, SpeechConfig
from edged.engine.base import PcmChunk, SynthJob
from edged.engine.tone import ToneEngine
from edged.errors import EngineError
from edged.text.content import Clip, Words
from edged.workers.clips import Clips
from edged.workers.house_style import HouseStyle
from edged.workers.messages import Speak
from edged.workers.preload import Preloader


class Engine(ToneEngine):
    """Remembers what it made to the end; cannot say `bad`."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[SynthJob] = []

    def synthesize(self, job: SynthJob) -> Iterator[PcmChunk]:
        if job.sentences[0].spoken.startswith("bad"):
            raise EngineError("cannot say that")
        yield from super().synthesize(job)
        self.made.append(job)

    @property
    def said(self) -> list[str]:
        return [job.sentences[0].spoken for job in self.made]


class Desk:
    """A preloader, its engine, and whether somebody else wants that."""

    def __init__(self, folder: Path) -> None:
        self.engine = Engine()
        self.is_wanted = False
        self.doing: list[str] = []
        self.preloader = Preloader(
            SpeechConfig(), HouseStyle(Config()), Clips(folder, CHIME_LUFS), lambda: self.is_wanted
        )

    def add(self, text: str, **how: object) -> None:
        pieces = (Clip("none.wav"), Words(text))
        self.preloader.add(Speak.model_validate({"job_id": "preload", "pieces": pieces, **how}))

    def work(self) -> None:
        self.preloader.work(self.engine, self.doing.append)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_words_are_made_as_they_would_be_for_an_announcement(desk: Desk) -> None:
    """Sentence by sentence, with voice, pace and what is to be kept; it is alive all the time."""
    desk.add("Hello. You.", speed=1.5, cache="pin", voice="tone")
    desk.work()
    assert desk.engine.said == ["Hello.", "You."]
    assert {(job.speed, job.cache, job.voices["en"]) for job in desk.engine.made} == {(1.5, "pin", "tone")}
    assert set(desk.doing) == {"preloading"}
    assert not desk.preloader


def test_the_oldest_is_first_and_each_has_its_turn(desk: Desk) -> None:
    """One at a time, so that work in between is seen."""
    desk.add("Hello.")
    desk.add("You.")
    desk.work()
    assert (desk.engine.said, bool(desk.preloader)) == (["Hello."], True)
    desk.work()
    assert (desk.engine.said, bool(desk.preloader)) == (["Hello.", "You."], False)


def test_who_speaks_goes_first(desk: Desk) -> None:
    """The engine is let go of, and what was not made is made later."""
    desk.add("Hello. You.")
    desk.is_wanted = True
    desk.work()
    assert (desk.engine.said, bool(desk.preloader)) == ([], True)
    desk.is_wanted = False
    desk.work()
    assert (desk.engine.said, bool(desk.preloader)) == (["Hello.", "You."], False)


def test_what_cannot_be_made_is_told_and_left(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    """The next one is none the worse."""
    desk.add("bad.")
    desk.add("Hello.")
    desk.work()
    desk.work()
    assert "cannot say that" in caplog.text
    assert (desk.engine.said, bool(desk.preloader)) == (["Hello."], False)


def test_there_is_an_end_to_what_waits(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    """Memory is bounded; what is left out is told."""
    for _ in range(1001):
        desk.add("Hello.")
    assert "1000 wait already" in caplog.text
