"""Every topic edged listens on or publishes to, built and read in this one place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from edged.errors import ConfigError

_LEVEL = re.compile(r"[A-Za-z0-9._-]{1,64}")
# `edged/all/...` and `edged/group/...` are addresses of many devices, so no device may be called that.
_RESERVED_DEVICES = frozenset({"all", "group"})


@dataclass(frozen=True, slots=True)
class SpeakTopic:
    """A message to be spoken; `priority` is the topic's last level, as received, or None."""

    priority: str | None


@dataclass(frozen=True, slots=True)
class CommandTopic:
    """A command; `verb` as received, known or not."""

    verb: str


@dataclass(frozen=True, slots=True)
class BirthTopic:
    """Home Assistant says `online` here when it has started."""


class Topics:
    """The topics of one device: its own, `all`, its groups, and those of Home Assistant under its prefix.

    `birth_prefix` is that prefix when its birth message is to be heard. Raises ConfigError when a name
    cannot be a topic level or is one of the reserved ones.
    """

    def __init__(self, base: str, device: str, groups: Iterable[str] = (), birth_prefix: str = "") -> None:
        names = tuple(dict.fromkeys(groups))
        if problems := _problems(device, names):
            raise ConfigError(problems)
        self._own = f"{base}/{device}"
        self._addresses = (self._own, f"{base}/all", *(f"{base}/group/{name}" for name in names))
        self.state = f"{self._own}/state"
        self.health = f"{self._own}/health"
        self.info = f"{self._own}/info"
        self.event = f"{self._own}/event"
        self.speak = f"{self._own}/speak"
        self._birth = f"{birth_prefix}/status" if birth_prefix else None

    def result(self, request_id: str) -> str:
        """Where the result of this request goes (an id cannot hold `/`, `+` or `#`)."""
        return f"{self._own}/result/{request_id}"

    def command(self, verb: str) -> str:
        """Where this command is taken."""
        return f"{self._own}/cmd/{verb}"

    @property
    def filters(self) -> tuple[str, ...]:
        """The subscriptions: no topic is matched by two of them, so no message comes twice."""
        own = tuple(
            f"{address}/{tail}" for address in self._addresses for tail in ("speak", "speak/+", "cmd/+")
        )
        return own if self._birth is None else (*own, self._birth)

    def read(self, topic: str) -> SpeakTopic | CommandTopic | BirthTopic | None:
        """What a message on `topic` is; None when it is not for us."""
        if topic == self._birth:
            return BirthTopic()
        for address in self._addresses:
            if topic.startswith(f"{address}/"):
                return _read_tail(topic.removeprefix(f"{address}/"))
        return None


def discovery_topic(prefix: str, device: str) -> str:
    """Where Home Assistant looks for the device; it allows no dot there."""
    return f"{prefix}/device/{device.replace('.', '_')}/config"


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
