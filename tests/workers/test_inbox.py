"""What main has asked of the synth, as the reader thread files it."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from edged.text.content import Words
from edged.workers.frames import Frame
from edged.workers.inbox import CancelledError, Inbox, Job, MoreText
from edged.workers.messages import CancelSpeak, Message, Played, SetThreads, Speak, SpeakMore


def speak(job_id: str) -> Speak:
    return Speak(job_id=job_id, pieces=(Words("a"),), is_open=True)


def filed(*messages: Message) -> tuple[Inbox, list[Job]]:
    """An inbox that has read these, and its jobs in their order."""
    inbox = Inbox()
    inbox.read(Frame(message) for message in messages)
    work = [inbox.work.get_nowait() for _ in range(inbox.work.qsize())]
    assert work[-1] is None
    return inbox, [item for item in work if isinstance(item, Job)]


def test_news_reach_their_job() -> None:
    """Also while it waits behind another one."""
    _, (a, b) = filed(
        speak("a"),
        speak("b"),
        Played(job_id="b", played_ms=5),
        CancelSpeak(job_id="a"),
        CancelSpeak(job_id="x"),
    )
    assert (a.is_cancelled, a.played_ms, b.is_cancelled, b.played_ms) == (True, 0, False, 5)


def test_text_is_taken_once() -> None:
    """All that came since the last time, and whether more is to come."""
    inbox, (a,) = filed(
        speak("a"),
        SpeakMore(job_id="a", text="b", is_last=False),
        SpeakMore(job_id="a", text="c", is_last=False),
    )
    assert inbox.take_text(a) == MoreText("bc", is_all=False)
    inbox.read(iter([Frame(SpeakMore(job_id="a", text="d", is_last=True))]))
    assert inbox.take_text(a) == MoreText("d", is_all=True)


def test_news_of_a_job_that_has_ended_are_dropped() -> None:
    """They leave nothing behind; a new job of that name begins anew and outlives the old one's end."""
    inbox, (old,) = filed(speak("a"))
    inbox.forget(old)
    late = (
        CancelSpeak(job_id="a"),
        Played(job_id="a", played_ms=5),
        SpeakMore(job_id="a", text="b", is_last=True),
    )
    inbox.read(Frame(message) for message in late)
    inbox.work.get_nowait()
    inbox.read(Frame(message) for message in (speak("a"), SetThreads(threads=1)))
    new = inbox.work.get_nowait()
    assert isinstance(new, Job)
    assert (new.is_cancelled, new.played_ms, new.more, new.is_open) == (False, 0, "", True)
    inbox.forget(old)
    inbox.read(iter([Frame(CancelSpeak(job_id="a"))]))
    assert new.is_cancelled


def test_a_wait_ends_with_what_it_waits_for_or_the_cancel() -> None:
    """Whichever comes first; news of another job do not end it."""
    inbox, (a, b) = filed(speak("a"), speak("b"))

    def news() -> Iterator[Frame]:
        for message in (
            Played(job_id="b", played_ms=9),
            Played(job_id="a", played_ms=1),
            CancelSpeak(job_id="b"),
        ):
            yield Frame(message)

    reader = threading.Thread(target=inbox.read, args=(news(),))
    reader.start()
    inbox.wait(a, lambda: a.played_ms > 0, beat=lambda: None)
    with pytest.raises(CancelledError):
        inbox.wait(b, lambda: False, beat=lambda: None)
    reader.join()
    with pytest.raises(CancelledError):
        inbox.wait(b, lambda: True, beat=lambda: None)
