"""The fleet as its retained records describe it; what others publish there can be anything."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rich.table import Table
from rich.text import Text

RECORDS = ("state", "info", "health")
COLUMNS = (
    *("device", "state", "reason", "version", "engine", "voice"),
    *("temperature_c", "queue", "last", "since"),
)
_LONGEST_TEXT = 300  # of a reason: two or three faults
_YEAR_5138_S = 1e11
_STYLE = {"online": "green", "warming": "cyan", "degraded": "yellow", "stopping": "yellow", "offline": "red"}


@dataclass(slots=True)
class _Device:
    records: dict[str, dict[str, Any]] = field(default_factory=dict)


class Fleet:
    """Every device heard below `base`."""

    def __init__(self, base: str) -> None:
        self._base = f"{base}/"
        self._devices: dict[str, _Device] = {}

    @property
    def filters(self) -> tuple[str, ...]:
        """What to subscribe to."""
        return tuple(f"{self._base}+/{record}" for record in RECORDS)

    def hear(self, topic: str, payload: bytes) -> str | None:
        """Take a record in; gives a warning when it is none."""
        name, _, record = topic.removeprefix(self._base).rpartition("/")
        if not topic.startswith(self._base) or not name or record not in RECORDS:
            return f"{topic}: not a record of a device"
        if not payload:  # cleared: that device is gone for good
            self._forget(name, record)
            return None
        try:
            value = json.loads(payload)
        except (ValueError, RecursionError):
            return f"{topic}: not JSON"
        if not isinstance(value, dict):
            return f"{topic}: not a JSON object"
        self._devices.setdefault(name, _Device()).records[record] = value
        return None

    def rows(self) -> list[dict[str, Any]]:
        """One a device, by name; the keys are COLUMNS, what is not known is null."""
        return [_row(name, device.records) for name, device in sorted(self._devices.items())]

    def table(self, title: str) -> Table:
        """For people."""
        rows = self.rows()
        table = Table(title=f"{title}: {len(rows)} devices", title_justify="left")
        for column in COLUMNS:
            table.add_column(column.removesuffix("_c"), overflow="fold")
        for row in rows:
            style = _STYLE.get(row["state"] or "", "")
            # Text: a name or a reason in brackets is no markup
            table.add_row(*(Text(_show(column, row[column]), style) for column in COLUMNS))
        return table

    def _forget(self, name: str, record: str) -> None:
        device = self._devices.get(name)
        if device is not None and device.records.pop(record, None) is not None and not device.records:
            del self._devices[name]


def _row(name: str, records: dict[str, dict[str, Any]]) -> dict[str, Any]:
    state, info, health = (records.get(record, {}) for record in RECORDS)
    return {
        "device": _text(name),
        "state": _text(state.get("state")),
        "reason": _text(state.get("reason")),
        "version": _text(state.get("version")) or _text(info.get("version")),
        "engine": _text(info.get("engine")),
        "voice": _text(state.get("voice")),
        "temperature_c": _number(health.get("temperature_c")),
        "queue": _number(state.get("queue")),
        "last": _last(state.get("last")),
        "since": _moment(state.get("since")),
    }


def _text(value: object) -> str | None:
    """One line that a terminal can show."""
    if not isinstance(value, str) or not value:
        return None
    return "".join(c if c.isprintable() else "�" for c in value[:_LONGEST_TEXT])


def _moment(value: object) -> float | int | None:
    """Seconds since 1970, of a time that can be shown."""
    moment_s = _number(value, _YEAR_5138_S)
    return moment_s if moment_s is not None and moment_s >= 0 else None


def _number(value: object, limit: float = 1e12) -> float | int | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and abs(value) < limit else None  # type: ignore[arg-type,return-value]


def _last(value: object) -> str | None:
    """`failed audio_lost t-17`: how the last announcement ended."""
    if not isinstance(value, dict):
        return None
    words = (_text(value.get(key)) for key in ("status", "code", "id"))
    return " ".join(word for word in words if word) or None


def _show(column: str, value: Any) -> str:
    if value is None:
        return "-"
    if column == "since":
        return datetime.fromtimestamp(value).astimezone().isoformat(sep=" ", timespec="seconds")
    if column == "temperature_c":
        return f"{value:.0f} °C"
    return str(value)
