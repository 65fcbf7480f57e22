"""A child process that is only its pipe: what it was sent, and what it says when the test makes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edged.config.schema import Config
from edged.workers.messages import Message, PlayerReady, SynthReady, VoiceDescription


class FakeSupervisor:
    """Stands for workers.supervisor.Supervisor; each one made is kept in `made`, by its name."""

    made: dict[str, FakeSupervisor] = {}  # noqa: RUF012 - the stage makes them, the test finds them

    def __init__(
        self,
        module: str,
        config: Config,
        on_frame: Callable[[Message, bytes], None],
        on_lost: Callable[[], None],
        _back_off_s: Sequence[float] = (),
    ) -> None:
        self.config = config
        self.sent: list[Message] = []
        self.kills = 0
        self.lose = on_lost
        self._on_frame = on_frame
        self.made[module.rpartition(".")[2]] = self

    def send(self, message: Message, payload: bytes = b"") -> None:
        """As the real one."""
        self.sent.append(message)

    def kill(self) -> None:
        """As the real one."""
        self.kills += 1

    def say(self, message: Message, payload: bytes = b"") -> None:
        """The child sends this."""
        self._on_frame(message, payload)


SYNTH_READY = SynthReady(
    engine="kokoro",
    model="m",
    model_sha256=None,
    sample_rate_hz=24000,
    voices=(
        VoiceDescription(name="zf", langs=("zh",), default_for=("zh",), description=""),
        VoiceDescription(name="zm", langs=("zh",), default_for=(), description=""),
        VoiceDescription(name="af", langs=("en",), default_for=("en",), description=""),
    ),
    load_s=1.0,
)
PLAYER_READY = PlayerReady(
    device="d", rate_hz=48000, channels=2, format="S16", period_ms=20.0, buffer_ms=240.0
)
