"""WAV files: every PCM and float flavour in, 16-bit mono out."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from edged.audio.format import encode_frames
from edged.errors import BadInputError

_RIFF = struct.Struct("<4sI4s")
_CHUNK = struct.Struct("<4sI")
_FORMAT = struct.Struct("<HHIIHH")  # tag, channels, rate, bytes per second, bytes per frame, bits
_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_LONGEST_FORMAT = 40  # of an extensible header
_SUBFORMAT_AT = 24  # an extensible header names its real tag in the first two bytes of a GUID
# What programs write that do not know the length yet (ffmpeg, arecord, sox into a pipe) is at or just below
# these two; no file that is taken here is as long.
_UNKNOWN_SIZES = (range(0x7FFF0000, 0x80000001), range(0xFFFF0000, 0x100000000))
_BLOCK_BYTES = 4 << 20  # a second of the widest file there is is 200 GB
_FULL_SCALE = 1.0
_HINT = "a PCM WAV file: 8, 16, 24 or 32 bits or float (`ffmpeg -i IN -c:a pcm_s16le OUT.wav` makes one)"


@dataclass(frozen=True, slots=True)
class Wav:
    """Sound as it came: samples [frames, channels] of -1..1."""

    samples: NDArray[np.float32]
    rate_hz: int

    @property
    def seconds(self) -> float:
        """Its length."""
        return len(self.samples) / self.rate_hz

    def mono(self) -> NDArray[np.float32]:
        """The mean of its channels, [frames]."""
        mean: NDArray[np.float32] = self.samples.mean(axis=1, dtype=np.float32)
        return mean


class WavReader:
    """A WAV file that is read piece by piece; it holds no more than what is asked for.

    `file` must be seekable, and is not closed. A recording whose length was never filled in goes on to the
    end of the file. Raises BadInputError that says what is wrong with it.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        tag = self.rate_hz = self.channels = self._bits = 0
        for name, size in _chunks(file):
            if name == b"fmt ":
                tag, self.channels, self.rate_hz, self._bits = _read_format(
                    file.read(min(size, _LONGEST_FORMAT))
                )
            elif name == b"data":
                if not tag:
                    raise BadInputError("the WAV file has samples before its format", _HINT)
                self.frames = size // self._frame_bytes
                break
        else:
            raise BadInputError("the WAV file ends before its samples", _HINT)
        if not self.frames:
            raise BadInputError("the WAV file holds no samples", _HINT)
        self._convert = _READERS[tag, self._bits]
        self._left = self.frames

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.frames / self.rate_hz

    def read(self, frames: int) -> NDArray[np.float32]:
        """The next samples [at most `frames`, channels]; none at the end."""
        wanted = min(frames, self._left)
        body = self._file.read(wanted * self._frame_bytes)
        if len(body) < wanted * self._frame_bytes:
            raise BadInputError("the WAV file has become shorter", _HINT)
        self._left -= wanted
        return self._convert(body).reshape(-1, self.channels)

    def mono_blocks(self) -> Iterator[NDArray[np.float32]]:
        """The rest of it, [n] each: the mean of the channels; what is no number is silence."""
        # a second: what a stop may have to wait for; however many channels
        frames = min(self.rate_hz, max(1, _BLOCK_BYTES // (4 * self.channels)))
        while len(block := self.read(frames)):
            mean: NDArray[np.float32] = block.mean(axis=1, dtype=np.float32)
            yield np.nan_to_num(mean, copy=False, posinf=_FULL_SCALE, neginf=-_FULL_SCALE)

    @property
    def _frame_bytes(self) -> int:
        return self.channels * self._bits // 8


def decode(data: bytes) -> Wav:
    """A WAV file's bytes. Raises BadInputError that says what is wrong with them."""
    reader = WavReader(io.BytesIO(data))
    return Wav(reader.read(reader.frames), reader.rate_hz)


def encode(samples: NDArray[np.float32], rate_hz: int) -> bytes:
    """Mono samples [n] as a 16-bit WAV file."""
    data = encode_frames(samples, "S16_LE", 1)
    header = _FORMAT.pack(_PCM, 1, rate_hz, 2 * rate_hz, 2, 16)
    chunks = _CHUNK.pack(b"fmt ", len(header)) + header + _CHUNK.pack(b"data", len(data)) + data
    return _RIFF.pack(b"RIFF", 4 + len(chunks), b"WAVE") + chunks


def _chunks(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Name and size of each chunk, the file standing at its body."""
    end = file.seek(0, io.SEEK_END)
    file.seek(0)
    riff = file.read(_RIFF.size)
    if len(riff) < _RIFF.size or riff[:4] != b"RIFF" or riff[8:] != b"WAVE":
        raise BadInputError("not a WAV file" if end else "the file is empty", _HINT)
    riff_size: int = _RIFF.unpack(riff)[1]
    at = _RIFF.size
    while at + _CHUNK.size <= end:
        file.seek(at)
        name, size = _CHUNK.unpack(file.read(_CHUNK.size))
        at += _CHUNK.size
        if name == b"data" and _is_unknown(size, at, riff_size):
            size = end - at
        if at + size > end:
            promise = f"its {name.decode('latin-1').strip()} chunk promises {size} bytes"
            raise BadInputError(f"the WAV file is truncated: {promise}, {end - at} are there", _HINT)
        yield name, size
        at += size + size % 2  # chunks are padded to even sizes


def _is_unknown(size: int, at: int, riff_size: int) -> bool:
    """Whether the size of the samples that begin `at` is a stand-in for one that was not known yet.

    Zero is one when the whole file says as well that it ends there, or that it has no end.
    """
    ends_here = _CHUNK.size + riff_size <= at or _stands_in(riff_size)
    return _stands_in(size) or (not size and ends_here)


def _stands_in(size: int) -> bool:
    return any(size in sizes for sizes in _UNKNOWN_SIZES)


def _read_format(body: bytes) -> tuple[int, int, int, int]:
    if len(body) < _FORMAT.size:
        raise BadInputError("the WAV file's format chunk is truncated", _HINT)
    tag, channels, rate_hz, _, _, bits = _FORMAT.unpack_from(body)
    if tag == _EXTENSIBLE and len(body) >= _SUBFORMAT_AT + 2:
        (tag,) = struct.unpack_from("<H", body, _SUBFORMAT_AT)
    if (tag, bits) not in _READERS:
        raise BadInputError(f"the WAV file is of an unknown kind (format {tag}, {bits} bits)", _HINT)
    if not channels or not 1000 <= rate_hz <= 768000:
        raise BadInputError(f"the WAV file claims {channels} channels at {rate_hz} Hz", _HINT)
    return tag, channels, rate_hz, bits


def _unsigned_8(body: bytes) -> NDArray[np.float32]:
    return (np.frombuffer(body, np.uint8).astype(np.float32) - 128.0) / np.float32(128.0)


def _signed_16(body: bytes) -> NDArray[np.float32]:
    return np.frombuffer(body, "<i2").astype(np.float32) / np.float32(2**15)


def _signed_24(body: bytes) -> NDArray[np.float32]:
    # each three bytes become the upper three of a 32-bit integer
    wide = np.zeros((len(body) // 3, 4), np.uint8)
    wide[:, 1:] = np.frombuffer(body, np.uint8).reshape(-1, 3)
    return _signed_32(wide.tobytes())


def _signed_32(body: bytes) -> NDArray[np.float32]:
    return (np.frombuffer(body, "<i4") / 2.0**31).astype(np.float32)


def _float_32(body: bytes) -> NDArray[np.float32]:
    return np.frombuffer(body, "<f4").astype(np.float32)


def _float_64(body: bytes) -> NDArray[np.float32]:
    return np.frombuffer(body, "<f8").astype(np.float32)


_READERS = {
    (_PCM, 8): _unsigned_8,
    (_PCM, 16): _signed_16,
    (_PCM, 24): _signed_24,
    (_PCM, 32): _signed_32,
    (_FLOAT, 32): _float_32,
    (_FLOAT, 64): _float_64,
}
