"""What a check of `edged doctor` says: findings of a section, each with its severity and its remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from edged.errors import EdgedError


class Severity(IntEnum):
    """How bad it is; also the exit status of doctor."""

    OK = 0
    WARN = 1
    FAIL = 2


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing seen: `what`, `why` it matters, how to `fix` it (empty when nothing is to be done)."""

    what: str
    why: str = ""
    fix: str = ""
    severity: Severity = Severity.OK


@dataclass(frozen=True, slots=True)
class Section:
    """Everything seen of one part of the system."""

    name: str
    findings: tuple[Finding, ...]

    @property
    def severity(self) -> Severity:
        """The worst of its findings."""
        return max((finding.severity for finding in self.findings), default=Severity.OK)


def look(name: str, check: Callable[[], Iterator[Finding]], consequence: str = "") -> Section:
    """The section of this check; an error edged expects is a finding like any other."""
    return Section(name, tuple(_guarded(check, consequence)))


def _guarded(check: Callable[[], Iterator[Finding]], consequence: str) -> Iterator[Finding]:
    try:
        yield from check()
    except EdgedError as error:
        fix = error.hint.removeprefix("edged doctor; ")  # where we are
        yield Finding(error.what, consequence, fix, Severity.FAIL)
