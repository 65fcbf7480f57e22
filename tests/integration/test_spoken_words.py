"""The main job, whole: a sentence is published, the installed voice speaks it through ALSA."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks.clocked_sink import ClockedSink
from edged.io.store import Store
from tests.integration.broker import Broker
from tests.integration.running_daemon import RunningDaemon, running_daemon

pytestmark = [pytest.mark.model, pytest.mark.broker, pytest.mark.alsa]

MODELS = Path(__file__).resolve().parents[2] / "models"
SILENCE_FRAMES = 36000  # longer than a pause between sentences
DEADLINE_S = 60.0


@pytest.fixture(scope="module")
def sink() -> Iterator[ClockedSink]:
    with ClockedSink() as running:
        yield running


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory, sink: ClockedSink) -> Iterator[RunningDaemon]:
    Store(MODELS).open_active("kokoro")  # says what to do when it is not there
    folder = tmp_path_factory.mktemp("daemon")
    (folder / "models").symlink_to(MODELS)
    with (
        Broker(folder) as broker,
        running_daemon(folder, broker, sink.env, "log: {level: info}\n") as running,
    ):
        yield running


@pytest.mark.parametrize(
    ("text", "voice"),
    [
        ("请A015号到3号窗口。", "zf_xiaobei"),
        ("Ticket A015, please proceed to counter 3.", "af_heart"),
        ("请到Gate 12登机。", "zf_xiaobei"),
        ("您好。Welcome.", "zf_xiaobei+af_heart"),
    ],
    ids=["zh", "en", "mixed", "both"],
)
def test_it_is_heard(daemon: RunningDaemon, sink: ClockedSink, text: str, voice: str) -> None:
    """What the recorder hears is as long as the result says, is speech and not noise, and not clipped."""
    with sink.record() as recording:
        daemon.speak(text, id=text.encode().hex()[:60])
        result = daemon.result(text.encode().hex()[:60])
        heard = recording.until_silent(SILENCE_FRAMES, DEADLINE_S)[:, 0].astype(float) / 32768
    assert (result["status"], result["voice"], result["xruns"]) == ("finished", voice, 0)
    sounding = np.flatnonzero(np.abs(heard) > 0.01)
    assert (sounding[-1] - sounding[0]) / sink.rate_hz * 1000 == pytest.approx(result["audio_ms"], rel=0.2)
    assert 0.1 < np.abs(heard).max() < 0.99
    # a voice has its energy below 4 kHz
    spectrum = np.abs(np.fft.rfft(heard[sounding[0] : sounding[-1]])) ** 2
    below_4_khz = spectrum[: len(spectrum) * 4000 // (sink.rate_hz // 2)]
    assert below_4_khz.sum() > 0.8 * spectrum.sum()


def test_the_first_sentence_sounds_while_the_next_is_made(daemon: RunningDaemon) -> None:
    """Streaming: the first sample is heard before the synthesis of the whole text is done."""
    daemon.speak("One. " + "The next train to the airport departs from platform two. " * 4, id="long")
    result = daemon.result("long")
    assert result["status"] == "finished"
    assert result["first_audio_ms"] - result["queued_ms"] < result["synth_ms"]
