"""WAV bytes in and out."""

from __future__ import annotations

import contextlib
import io
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edged.audio import wav
from edged.errors import BadInputError

# one frame of two channels: half up, half down
HALVES = {
    (1, 8): bytes([192, 64]),
    (1, 16): struct.pack("<hh", 1 << 14, -(1 << 14)),
    (1, 24): b"\x00\x00\x40\x00\x00\xc0",
    (1, 32): struct.pack("<ii", 1 << 30, -(1 << 30)),
    (3, 32): struct.pack("<ff", 0.5, -0.5),
    (3, 64): struct.pack("<dd", 0.5, -0.5),
}


def chunk(name: bytes, body: bytes) -> bytes:
    return name + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)


def fmt(tag: int, channels: int, rate_hz: int, bits: int) -> bytes:
    size = channels * bits // 8
    return chunk(b"fmt ", struct.pack("<HHIIHH", tag, channels, rate_hz, rate_hz * size, size, bits))


def riff(*chunks: bytes) -> bytes:
    body = b"WAVE" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


@pytest.mark.parametrize(("kind", "data"), HALVES.items(), ids=str)
def test_every_kind_of_sample_is_read(kind: tuple[int, int], data: bytes) -> None:
    """8 to 32 bits and both floats give the same samples."""
    sound = wav.decode(riff(fmt(kind[0], 2, 44100, kind[1]), chunk(b"data", data)))
    assert sound.samples.tolist() == [[0.5, -0.5]]
    assert sound.rate_hz == 44100


def test_an_extensible_header_is_followed_to_its_real_format() -> None:
    """Format 0xFFFE names the format in its GUID, as many-channel and 24-bit files do."""
    guid = struct.pack("<H", 1) + bytes.fromhex("000000001000800000aa00389b71")
    head = struct.pack("<HHIIHHHHI", 0xFFFE, 2, 48000, 48000 * 6, 6, 24, 22, 24, 3)
    sound = wav.decode(riff(chunk(b"fmt ", head + guid), chunk(b"data", HALVES[1, 24])))
    assert sound.samples.tolist() == [[0.5, -0.5]]


def test_chunks_that_are_not_sound_are_skipped() -> None:
    """Tags before and after, of odd length too, do not matter."""
    tags = chunk(b"LIST", b"odd")
    sound = wav.decode(riff(tags, fmt(1, 2, 8000, 16), tags, chunk(b"data", HALVES[1, 16]), tags))
    assert len(sound.samples) == 1


def test_channels_are_mixed_down_by_their_mean() -> None:
    """Opposite channels cancel; a mono file stays as it is."""
    sound = wav.decode(riff(fmt(1, 2, 8000, 16), chunk(b"data", HALVES[1, 16])))
    assert sound.mono().tolist() == [0.0]


def test_the_widest_file_is_mixed_in_blocks_of_a_few_megabytes() -> None:
    """However many channels it claims; each sample comes once."""
    data = riff(fmt(1, 65535, 48000, 8), chunk(b"data", bytes([192]) * 65535 * 40))
    blocks = list(wav.WavReader(io.BytesIO(data)).mono_blocks())
    assert max(map(len, blocks)) * 65535 * 4 <= 4 << 20
    assert np.concatenate(blocks).tolist() == [0.5] * 40


def test_length_in_seconds() -> None:
    """Frames over rate."""
    assert wav.decode(wav.encode(np.zeros(4000, np.float32), 8000)).seconds == 0.5


@given(st.lists(st.integers(-(2**15), 2**15 - 1), min_size=1, max_size=50))
def test_16_bit_samples_survive_the_round_trip(values: list[int]) -> None:
    """Decoding and encoding changes no 16-bit sample, the extremes included."""
    samples = (np.array(values) / 2.0**15).astype(np.float32)
    data = wav.encode(samples, 24000)
    assert np.array_equal(wav.decode(data).mono(), samples)
    assert wav.encode(wav.decode(data).mono(), 24000) == data


GOOD = riff(fmt(1, 1, 8000, 16), chunk(b"data", HALVES[1, 16]))


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "the file is empty"),
        (b"ID3\x04 not a wave at all", "not a WAV file"),
        (GOOD[:-1], "truncated: its data chunk promises 4 bytes, 3 are there"),
        (GOOD[:30], "truncated: its fmt chunk promises 16 bytes, 10 are there"),
        (riff(fmt(1, 1, 8000, 16)), "ends before its samples"),
        (riff(chunk(b"data", b"\0\0"), fmt(1, 1, 8000, 16)), "samples before its format"),
        (riff(fmt(1, 1, 8000, 16), chunk(b"data", b"")), "holds no samples"),
        (riff(fmt(85, 1, 8000, 16), chunk(b"data", b"\0\0")), "unknown kind (format 85, 16 bits)"),
        (riff(fmt(1, 1, 8000, 12), chunk(b"data", b"\0\0")), "unknown kind (format 1, 12 bits)"),
        (riff(fmt(1, 0, 8000, 16), chunk(b"data", b"\0\0")), "0 channels at 8000 Hz"),
        (riff(fmt(1, 1, 0, 16), chunk(b"data", b"\0\0")), "1 channels at 0 Hz"),
        (riff(chunk(b"fmt ", b"\1\0")), "format chunk is truncated"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bad_file_is_explained(data: bytes, complaint: str) -> None:
    """Each kind of damage has a message of its own, and a hint."""
    with pytest.raises(BadInputError) as caught:
        wav.decode(data)
    assert complaint in caught.value.what
    assert caught.value.hint


UNKNOWN_SIZES = (0xFFFFFFFF, 0xFFFFFFFF - 36, 0x80000000, 0x7FFFFFFF, 0x7FFFF000 - 36)


def streamed(riff_size: int, data_size: int, samples: bytes) -> bytes:
    head = fmt(1, 2, 8000, 16)
    return (
        struct.pack("<4sI4s", b"RIFF", riff_size, b"WAVE")
        + head
        + struct.pack("<4sI", b"data", data_size)
        + samples
    )


@pytest.mark.parametrize(
    ("riff_size", "data_size"),
    [*((size, size) for size in UNKNOWN_SIZES), (36, 0), (0, 0), (0xFFFFFFFF, 0)],
    ids=hex,
)
def test_a_length_that_was_not_known_is_the_rest_of_the_file(riff_size: int, data_size: int) -> None:
    """What a program leaves that writes into a pipe, or was killed; half a frame at the end is none."""
    sound = wav.decode(streamed(riff_size, data_size, HALVES[1, 16] * 3 + b"\0"))
    assert sound.samples.tolist() == [[0.5, -0.5]] * 3


def test_no_samples_and_a_tag_are_no_sound() -> None:
    """The file says itself that it goes on behind its samples, so it has none."""
    with pytest.raises(BadInputError, match="holds no samples"):
        wav.decode(riff(fmt(1, 1, 8000, 16), chunk(b"data", b""), chunk(b"LIST", b"tags")))


@given(st.binary(max_size=200))
def test_noise_never_crashes_the_parser(noise: bytes) -> None:
    """Arbitrary chunks after a good beginning give sound or BadInputError."""
    for data in (noise, GOOD[:20] + noise, GOOD[:36] + noise):
        with contextlib.suppress(BadInputError):
            wav.decode(data)


@pytest.mark.parametrize("block", [1, 7, 100, 1000])
def test_a_file_is_read_in_blocks_as_it_is_as_a_whole(block: int) -> None:
    """Whatever comes before and after its samples, and none is read twice or left out."""
    data = riff(
        chunk(b"LIST", b"odd"),
        fmt(1, 3, 8000, 24),
        chunk(b"data", bytes(range(225)) * 4),
        chunk(b"LIST", b"x"),
    )
    reader = wav.WavReader(io.BytesIO(data))
    assert (reader.frames, reader.rate_hz, reader.channels, reader.seconds) == (100, 8000, 3, 100 / 8000)
    blocks = []
    while len(samples := reader.read(block)):
        assert len(samples) <= block
        blocks.append(samples)
    assert np.array_equal(np.concatenate(blocks), wav.decode(data).samples)


def test_a_file_that_ends_early_is_no_silence() -> None:
    """It was whole when its header was read."""
    file = io.BytesIO(riff(fmt(1, 2, 8000, 16), chunk(b"data", HALVES[1, 16] * 10)))
    reader = wav.WavReader(file)
    file.truncate(60)
    with pytest.raises(BadInputError, match="shorter"):
        reader.read(10)
