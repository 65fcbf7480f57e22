"""Clips that cannot be played, in the middle of an announcement: each is named, the words are heard."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy as np
import pytest

from edged.audio import wav
from tests.integration.running_daemon import RunningDaemon
from tests.integration.sound import is_same, sounds_in, spoken

pytestmark = [pytest.mark.broker, pytest.mark.alsa]

GOOD = wav.encode(np.full(2400, 0.25, np.float32), 24000)
REASONS = {
    "none.wav": "No such file or directory",
    "empty.wav": "the file is empty",
    "header.wav": "not a WAV file",
    "half.wav": "the WAV file is truncated: its data chunk promises 4800 bytes, 4700 are there",
    "mp3.wav": "the WAV file is of an unknown kind (format 85, 16 bits)",
    "huge.wav": "2048 MiB; the limit is 256 MiB",
    "folder.wav": "Is a directory",
    "pipe.wav": "a pipe, no file",
    "out.wav": "a link out of the clip folder",
}


def fill(folder: Path) -> None:
    folder.mkdir()
    (folder / "empty.wav").touch()
    (folder / "header.wav").write_bytes(b"RIFX" + GOOD[4:])
    (folder / "half.wav").write_bytes(GOOD[:-100])
    (folder / "mp3.wav").write_bytes(GOOD[:20] + struct.pack("<H", 85) + GOOD[22:])
    (folder / "huge.wav").write_bytes(GOOD)
    os.truncate(folder / "huge.wav", 2**31)
    (folder / "folder.wav").mkdir()
    os.mkfifo(folder / "pipe.wav")
    (folder.parent / "secret.wav").write_bytes(GOOD)
    (folder / "out.wav").symlink_to("../secret.wav")


def test_the_rest_is_spoken_with_a_warning_for_each(recorded: RunningDaemon) -> None:
    """Nothing waits for a pipe, and nothing of a bad file is heard; the next announcement is as ever."""
    fill(recorded.folder / "clips")
    clips = [{"clip": name} for name in REASONS]
    recorded.request(id="a", segments=[*clips, {"text": "Hello"}], chime="pipe.wav", chime_end="half.wav")
    result = recorded.result("a")
    assert result["status"] == "finished"
    assert set(result["warnings"]) == {f"clip_skipped: {name}: {reason}" for name, reason in REASONS.items()}
    recorded.speak("Good day", id="b")
    assert recorded.result("b")["status"] == "finished"
    first, second = sounds_in(recorded.folder)
    assert is_same(first, spoken("Hello"))
    assert is_same(second, spoken("Good day"))
