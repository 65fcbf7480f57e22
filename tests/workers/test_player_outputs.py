"""Several outputs of one player: each announcement is heard on its own, as loud and shaped as it says."""

from __future__ import annotations

import numpy as np
import pytest

from edged.config.schema import OutputConfig
from edged.errors import AudioUnavailableError
from edged.workers.frames import Frame, FrameError, encode_samples
from edged.workers.messages import (
    Audio,
    Message,
    PlayBegin,
    PlayDone,
    PlayEnd,
    PlayerReady,
    PlayerUnavailable,
    PlayFailed,
    SetVolume,
)
from edged.workers.output import Output
from edged.workers.player import Player
from tests.fakes.playing import LUFS, MS, RATE_HZ, tone
from tests.fakes.sink import FakeClock, FakeSink


class Board:
    """A player with the outputs `main` and `hall`; a sink that is None is a device that is away."""

    def __init__(self, hall_away: bool = False, **hall: object) -> None:
        self.clock = FakeClock()
        self.said: list[Message] = []
        self.main, self.hall = FakeSink(self.clock), FakeSink(self.clock)
        self.hall_away = hall_away
        outputs = {
            "main": Output("main", OutputConfig(), LUFS, lambda: self.main, self.said.append, self.clock),
            "hall": Output(
                "hall", OutputConfig.model_validate(hall), LUFS, self._hall, self.said.append, self.clock
            ),
        }
        self.player = Player(outputs, self.said.append, self.clock)

    def _hall(self) -> FakeSink:
        if self.hall_away:
            raise AudioUnavailableError('PCM "hall": No such device')
        return self.hall

    def tell(self, message: Message, payload: bytes = b"") -> None:
        self.player.handle(Frame(message, payload))

    def play(self, job_id: str, output: str, ms: int = 300) -> None:
        self.tell(PlayBegin(job_id=job_id, sample_rate_hz=RATE_HZ, output=output))
        audio = Audio(job_id=job_id, sample_rate_hz=RATE_HZ, sentence_index=0)
        self.tell(audio, encode_samples(tone(ms)))
        self.tell(PlayEnd(job_id=job_id))

    def run(self, seconds: float) -> None:
        end_s = self.clock() + seconds
        while self.clock() < end_s:
            wait_s = self.player.step()
            self.clock.now_s += wait_s


def test_each_announcement_is_heard_on_its_output() -> None:
    """And nowhere else; one after the other, in their order."""
    board = Board()
    for job_id, output in [("a", "main"), ("b", "hall"), ("c", "main")]:
        board.play(job_id, output)
    board.run(2.0)
    assert np.array_equal(board.main.heard(), np.concatenate((tone(300), tone(300))))
    assert np.array_equal(board.hall.heard(), tone(300))
    assert [m.job_id for m in board.said if isinstance(m, PlayDone)] == ["a", "b", "c"]


def test_main_hears_which_output_is_meant() -> None:
    """Ready and unavailable carry the name."""
    board = Board(hall_away=True)
    board.run(1.0)
    ready = [m.output for m in board.said if isinstance(m, PlayerReady)]
    away = [m.output for m in board.said if isinstance(m, PlayerUnavailable)]
    assert (ready, away) == (["main"], ["hall"])


def test_a_missing_output_fails_only_its_own_announcements() -> None:
    """It is waited for as any device is; the main one goes on afterwards."""
    board = Board(hall_away=True)
    board.play("a", "hall")
    board.play("b", "main")
    board.run(15.0)
    assert [(m.job_id, m.code) for m in board.said if isinstance(m, PlayFailed)] == [
        ("a", "audio_unavailable")
    ]
    assert np.array_equal(board.main.heard(), tone(300))


@pytest.mark.parametrize(("gain_db", "percent"), [(-6.0, 100), (-12.0, 50), (6.0, 20)])
def test_an_output_has_a_gain_of_its_own(gain_db: float, percent: int) -> None:
    """It is added to the volume, which is that of all outputs."""
    board = Board(gain_db=gain_db)
    board.tell(SetVolume(percent=percent))
    board.play("a", "hall")
    board.play("b", "main")
    board.run(2.0)
    volume = (percent / 100) ** 3
    assert np.allclose(board.hall.heard(), volume * 10 ** (gain_db / 20) * tone(300), atol=1e-6)
    assert np.allclose(board.main.heard(), volume * tone(300), atol=1e-6)


def test_an_output_has_a_preset_of_its_own() -> None:
    """What is played on the other one is not touched by it."""
    board = Board(preset="horn")
    board.play("a", "hall")
    board.play("b", "main")
    board.run(2.0)
    assert len(board.hall.heard()) == 300 * MS
    assert not np.allclose(board.hall.heard(), tone(300), atol=0.01)
    assert np.array_equal(board.main.heard(), tone(300))


def test_one_output_is_kept_awake_while_another_plays() -> None:
    """Its noise never runs dry."""
    board = Board(idle="keepalive")
    board.run(0.5)
    board.play("a", "main", ms=2000)
    board.run(3.0)
    assert board.hall.xruns == 0
    assert len(board.hall.heard()) >= 3.4 * RATE_HZ
    assert np.array_equal(board.main.heard(), tone(2000))
    assert board.main.xruns == 0


def test_an_output_nobody_configured_is_refused() -> None:
    """Main names only those of the configuration; anything else means that the channel is confused."""
    with pytest.raises(FrameError, match="attic"):
        Board().tell(PlayBegin(job_id="a", sample_rate_hz=RATE_HZ, output="attic"))
