"""Every topic edged listens on or publishes to, built and read in this one place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from edged.errors import ConfigError

# What controllers may ask for; today only `stop` does something (see docs/mqtt.md).
VERBS = frozenset(
    {"stop", "cancel", "skip", "pause", "resume", "replay", "volume", "mute"}
    | {"preload", "test", "voices", "update", "reload", "doctor"}
)

_LEVEL = re.compile(r"[A-Za-z0-9._-]{1,64}")
# `edged/all/...` and `edged/group/...` are addresses of many devices, so no device may be called that.
_RESERVED_DEVICES = frozenset({"all", "group"})


@dataclass(frozen=True, slots=True)
class SpeakTopic:
    """A message to be spoken; `priority` is the topic's last level, as received, or None."""

    priority: str | None


@dataclass(frozen=True, slots=True)
class CommandTopic:
    """A command; `verb` is one of VERBS or something unknown."""

    verb: str


class Topics:
    """The topics of one device: its own, `all`, and its groups.

    Raises ConfigError when a name cannot be a topic level or is one of the reserved ones.
    """

    def __init__(self, base: str, device: str, groups: Iterable[str] = ()) -> None:
        names = tuple(dict.fromkeys(groups))
        if problems := _problems(device, names):
            raise ConfigError(problems)
        self._own = f"{base}/{device}"
        self._addresses = (self._own, f"{base}/all", *(f"{base}/group/{name}" for name in names))
        self.state = f"{self._own}/state"
        self.health = f"{self._own}/health"
        self.info = f"{self._own}/info"

    def result(self, request_id: str) -> str:
        """Where the result of this request goes (an id cannot hold `/`, `+` or `#`)."""
        return f"{self._own}/result/{request_id}"

    @property
    def filters(self) -> tuple[str, ...]:
        """The subscriptions: no topic is matched by two of them, so no message comes twice."""
        return tuple(
            f"{address}/{tail}" for address in self._addresses for tail in ("speak", "speak/+", "cmd/+")
        )

    def read(self, topic: str) -> SpeakTopic | CommandTopic | None:
        """What a message on `topic` is; None when it is not for us."""
        for address in self._addresses:
            if topic.startswith(f"{address}/"):
                return _read_tail(topic.removeprefix(f"{address}/"))
        return None


def _read_tail(tail: str) -> SpeakTopic | CommandTopic | None:
    match tail.split("/"):
        case ["speak"]:
            return SpeakTopic(None)
        case ["speak", priority]:
            return SpeakTopic(priority)
        case ["cmd", verb]:
            return CommandTopic(verb)
    return None


def _problems(device: str, groups: tuple[str, ...]) -> list[str]:
    rule = "up to 64 of A-Z a-z 0-9 . _ -"
    problems = [f"device.groups: {name!r} must be {rule}" for name in groups if not _LEVEL.fullmatch(name)]
    if not _LEVEL.fullmatch(device):
        problems.append(f"device.id = {device!r}: must be {rule}")
    if device in _RESERVED_DEVICES:
        problems.append(f"device.id = {device!r}: this name addresses many devices, choose another")
    return problems
