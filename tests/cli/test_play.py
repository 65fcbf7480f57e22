"""`edged play`: what is no sound is refused with its name before anything is heard."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from edged.audio import wav
from edged.cli.main import cli
from edged.errors import AudioUnavailableError, BadInputError

GOOD = wav.encode(np.full(2400, 0.25, np.float32), 24000)

pytestmark = pytest.mark.alsa


@pytest.fixture(autouse=True)
def silent_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The PCM `nothing` takes everything at once; the configuration is the built-in one."""
    (tmp_path / "edged.yaml").write_text("{}\n")
    monkeypatch.setenv("EDGED_CONFIG", str(tmp_path / "edged.yaml"))
    # ALSA_CONFIG_PATH takes a space for the end of a name, but not one in the working folder
    (tmp_path / "asound.conf").write_text("pcm.nothing { type null }\n")
    monkeypatch.setenv("ALSA_CONFIG_PATH", "asound.conf")
    monkeypatch.chdir(tmp_path)


def play(*arguments: str) -> list[dict[str, object]]:
    """What --json says, a line a file; an EdgedError comes out as it is."""
    command = ["play", "--device", "nothing", "--json", *arguments]
    result = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def header(channels: int, rate_hz: int, kind: tuple[int, int], data: bytes, promised: int) -> bytes:
    size = channels * kind[1] // 8
    fields = (16, kind[0], channels, rate_hz, rate_hz * size, size, kind[1])
    body = b"WAVE" + struct.pack("<4sIHHIIHH", b"fmt ", *fields) + struct.pack("<4sI", b"data", promised)
    return struct.pack("<4sI", b"RIFF", len(body) + len(data)) + body + data


def test_files_are_played_in_their_order() -> None:
    """Of whatever kind, each with its own line; 0.1 s each."""
    kinds = {
        "8-bit.wav": header(1, 8000, (1, 8), bytes(800), 800),
        "six.wav": header(6, 96000, (1, 24), bytes(9600 * 18), 9600 * 18),
        "double.wav": header(2, 48000, (3, 64), bytes(4800 * 16), 4800 * 16),
        "streamed.wav": header(1, 24000, (1, 16), bytes(4800), 0xFFFFFFFF),
        "killed.wav": header(1, 24000, (1, 16), b"", 0) + bytes(4800),
    }
    for name, data in kinds.items():
        Path(name).write_bytes(data)
    told = play(*kinds, "--volume", "50")
    assert [line["file"] for line in told] == list(kinds)
    assert [line["audio_s"] for line in told] == pytest.approx([0.1] * 5, abs=0.001)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("none.wav", "No such file or directory"),
        ("empty.wav", "the file is empty"),
        ("half.wav", "the WAV file is truncated: its data chunk promises 4800 bytes, 4700 are there"),
        ("song.wav", "not a WAV file"),
        ("mp3.wav", "the WAV file is of an unknown kind (format 85, 0 bits)"),
        ("huge.wav", "2048 MiB; the limit is 256 MiB"),
        ("folder", "Is a directory"),
        ("pipe.wav", "a pipe, no file"),
    ],
)
def test_what_cannot_be_played_is_named_before_anything_is_heard(
    name: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit status 65, file, reason and hint. The good file before it is not begun: no player is started."""
    for path, data in {
        "good.wav": GOOD,
        "empty.wav": b"",
        "half.wav": GOOD[:-100],
        "song.wav": b"ID3 not a wave",
        "mp3.wav": header(1, 8000, (85, 0), b"abc", 3),
        "huge.wav": GOOD,
    }.items():
        Path(path).write_bytes(data)
    os.truncate("huge.wav", 2**31)
    Path("folder").mkdir()
    os.mkfifo("pipe.wav")
    # a player would fail with another error
    monkeypatch.setenv("ALSA_CONFIG_PATH", os.devnull)
    with pytest.raises(BadInputError) as caught:
        play("good.wav", name)
    assert caught.value.what == f"{name}: {reason}"
    assert caught.value.hint
    assert caught.value.exit_status == 65
    with pytest.raises(AudioUnavailableError):
        play("good.wav")


@pytest.mark.parametrize("volume", ["-1", "101", "loud"])
def test_a_volume_is_0_to_100(volume: str) -> None:
    """Anything else is a usage error."""
    Path("good.wav").write_bytes(GOOD)
    result = CliRunner().invoke(cli, ["play", "good.wav", "--volume", volume])
    assert result.exit_code == 2


def test_no_file_is_a_usage_error() -> None:
    """Not silence."""
    assert CliRunner().invoke(cli, ["play"]).exit_code == 2
