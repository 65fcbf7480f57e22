"""What the kernel tells of sound cards in /proc/asound: their ids, and which programs play on them."""

from __future__ import annotations

import logging
from pathlib import Path

from edged.audio.cards import card_ids, card_number, owner_pid, process_of, stable_name

PROC = Path("/proc")
# They keep a card open for all programs and mix them; what plays through them does not meet a busy card.
_SOUND_SERVERS = ("pulseaudio", "pipewire", "pipewire-pulse", "wireplumber")

log = logging.getLogger(__name__)


def read_cards(proc: Path = PROC) -> dict[int, str]:
    """Number -> id of each card here; empty without sound support in the kernel."""
    return card_ids(_text(proc / "asound" / "cards"))


def holders(proc: Path = PROC) -> tuple[str, ...]:
    """The programs that have a card open for playback, each once: `aplay (process 812)`.

    A service that may not see other users' processes learns no more than the number.
    """
    names: list[str] = []
    for status in sorted((proc / "asound").glob("card*/pcm*p/sub*/status")):
        thread = owner_pid(_text(status))
        if thread is not None:
            names.append(_program(proc, thread))
    return tuple(dict.fromkeys(names))


def is_sound_server(holder: str) -> bool:
    """Whether this holder, as `holders` names it, is a sound server."""
    return holder.partition(" ")[0] in _SOUND_SERVERS


def warn_about_number(device: str, proc: Path = PROC) -> None:
    """Say in the log that a PCM name with a card's number may mean another card tomorrow."""
    number = card_number(device)
    if number is None:
        return
    better = stable_name(device, read_cards(proc)) or f"the card's id; there is no card {number} now"
    log.warning('audio.device = "%s": card numbers change with plugs and boots; use %s', device, better)


def _program(proc: Path, thread: int) -> str:
    pid = process_of(_text(proc / str(thread) / "status")) or thread
    name = _text(proc / str(pid) / "comm").strip()
    return f"{name} (process {pid})" if name else f"process {pid}"


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # it has just ended or been unplugged, or it is another user's
        return ""
