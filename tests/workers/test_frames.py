"""The wire between main and its children."""

from __future__ import annotations

import itertools
import socket
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edged.text.content import Clip, Piece, Silence, Words
from edged.workers.frames import (
    MAX_PAYLOAD_BYTES,
    Frame,
    FrameDecoder,
    FrameError,
    FrameSocket,
    encode,
    encode_samples,
)
from edged.workers.messages import Audio, PlayEnd, Speak

FRAMES = [
    Frame(Speak(job_id="a", pieces=(Words('请到3号窗口 "now"\n'), Silence(500), Clip("a.wav")))),
    Frame(Audio(job_id="a", sample_rate_hz=24000, sentence_index=0), b"\x00\x01\x02\x03" * 500),
    Frame(PlayEnd(job_id="a")),
]
STREAM = b"".join(encode(frame.message, frame.payload) for frame in FRAMES)


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_a_stream_cut_anywhere_gives_the_same_frames(cuts: list[int]) -> None:
    """How the kernel cuts the byte stream never shows."""
    decoder = FrameDecoder()
    edges = [0, *sorted(cuts), len(STREAM)]
    got = [frame for start, end in itertools.pairwise(edges) for frame in decoder.feed(STREAM[start:end])]
    assert got == FRAMES


def test_samples_survive_the_wire() -> None:
    """Float samples arrive bit for bit."""
    samples = np.linspace(-1, 1, 1001, dtype=np.float32)
    audio = Audio(job_id="a", sample_rate_hz=24000, sentence_index=0)
    (frame,) = FrameDecoder().feed(encode(audio, encode_samples(samples)))
    assert np.array_equal(frame.samples(), samples)


@pytest.mark.parametrize(
    "bad",
    [
        struct.pack(">II", 10, MAX_PAYLOAD_BYTES + 1),
        struct.pack(">II", 2, 0) + b"{}",
        struct.pack(">II", 3, 0) + b"\xff{}",
        b"GET / HTTP/1.1\r\n\r\n",
    ],
    ids=["payload over the limit", "no type", "not utf-8", "another protocol"],
)
def test_nonsense_is_refused(bad: bytes) -> None:
    """A peer that does not speak the protocol is an error, never a wait for gigabytes."""
    with pytest.raises(FrameError):
        list(FrameDecoder().feed(bad))


def test_frames_end_when_the_peer_closes() -> None:
    """A child's loop ends when main is gone, also in the middle of a frame."""
    ours, theirs = socket.socketpair()
    with theirs:
        FrameSocket(ours).send(FRAMES[0].message)
        ours.sendall(STREAM[:5])
        ours.close()
        assert list(FrameSocket(theirs).frames()) == [FRAMES[0]]


def test_the_longest_request_fits_into_a_frame() -> None:
    """Segments of one letter each grow most: 13 bytes of JSON become a piece that names all it is."""
    pieces = (Words("a", "auto", "digits"),) * (256 * 1024 // len('{"text":"a"},'))
    speak = Speak(job_id="a", pieces=pieces)
    assert list(FrameDecoder().feed(encode(speak))) == [Frame(speak)]


@pytest.mark.parametrize(
    "pieces", [(), (Silence(5),), (Words("A1", "zh", "spell"),), (Words("a"), Clip("a.wav"))]
)
def test_what_goes_on_ends_in_text(pieces: tuple[Piece, ...]) -> None:
    """More text can only continue text."""
    assert Speak(job_id="a", pieces=pieces).is_open is False
    with pytest.raises(ValueError, match="plain Words"):
        Speak(job_id="a", pieces=pieces, is_open=True)
