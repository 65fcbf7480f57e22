"""Every failure edged reports on purpose: what happened, what to do, and how the process ends.

`code` is the stable protocol code (see docs/mqtt.md), `exit_status` follows sysexits(3) so that
scripts and systemd can tell a bad configuration from a missing device.
"""

from __future__ import annotations

from typing import ClassVar


class EdgedError(Exception):
    """Base of all expected failures.

    `what` says where and what ("config/edged.yaml:12 audio.rate_hz: ..."), `hint` says what to do next.
    """

    code: ClassVar[str] = "internal"
    exit_status: ClassVar[int] = 70  # EX_SOFTWARE

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.what}\n  try: {self.hint}" if self.hint else self.what


class BadInputError(EdgedError):
    """The caller's data is wrong: an unreadable WAV, a bad option value."""

    code = "bad_field"
    exit_status = 65  # EX_DATAERR


class EmptyTextError(BadInputError):
    """Nothing speakable is left of the text."""

    code = "empty"


class TextTooLongError(BadInputError):
    """The text is longer than the configured limit."""

    code = "too_long"


class OverBudgetError(BadInputError):
    """The announcement is longer than its max_duration_ms, whatever is done."""

    code = "over_budget"


class UnknownVoiceError(BadInputError):
    """No installed voice has this name."""

    code = "unknown_voice"


class ModelUnavailableError(EdgedError):
    """The model folder is missing, damaged, or made for another edged."""

    code = "model_unavailable"
    exit_status = 66  # EX_NOINPUT


class FetchError(EdgedError):
    """A model source could not be fetched or is not the pinned one."""

    code = "model_unavailable"
    exit_status = 69  # EX_UNAVAILABLE


class ConversionError(EdgedError):
    """A fetched model could not be turned into the form edged runs."""

    code = "model_unavailable"


class BusyError(EdgedError):
    """Another command is changing the same thing; the same command works once that has ended."""

    exit_status = 75  # EX_TEMPFAIL


class EngineError(EdgedError):
    """Synthesis failed inside the engine."""

    code = "engine_crashed"


class RunawayError(EdgedError):
    """A generative engine did not find the end of a sentence, or found it too early."""

    code = "runaway"


class AudioUnavailableError(EdgedError):
    """The ALSA device cannot be opened or does not grant what was asked."""

    code = "audio_unavailable"
    exit_status = 69


class AudioLostError(EdgedError):
    """The ALSA device went away while it was playing."""

    code = "audio_lost"
    exit_status = 74  # EX_IOERR


class AudioChangedError(AudioLostError):
    """The ALSA device came back with another rate: what is ready for it cannot be played."""


class AudioHungError(AudioLostError):
    """The ALSA device neither plays nor lets go; only a new process gets rid of it."""


class StorageError(EdgedError):
    """A disk is full, read-only or otherwise refuses to keep what it was given."""

    code = "internal"
    exit_status = 74


class BrokerError(EdgedError):
    """The MQTT broker cannot be reached or refuses us."""

    code = "internal"
    exit_status = 69


class DaemonUnreachableError(EdgedError):
    """No running daemon answers on the local status socket."""

    code = "internal"
    exit_status = 69


class ConfigError(EdgedError):
    """One or more problems in the configuration, all of them reported at once.

    systemd does not restart on this status (RestartPreventExitStatus=78).
    """

    exit_status = 78  # EX_CONFIG

    def __init__(self, problems: list[str], hint: str = "edged config check") -> None:
        super().__init__("\n".join(problems), hint)
        self.problems = problems


def error_for(code: str, what: str, hint: str = "") -> EdgedError:
    """The error that a protocol code stands for: how a child's failure becomes ours again."""
    pending: list[type[EdgedError]] = [EdgedError]
    while pending:
        kind = pending.pop(0)
        if kind.code == code:
            return kind(what, hint)
        pending.extend(kind.__subclasses__())
    raise ValueError(f"no error has the code {code!r}")
