"""The built-in chimes and key tones, as scores: notes of a few partials; `chime_sound` plays them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

NONE = "none"
UNDER = "under:"


@dataclass(frozen=True, slots=True)
class Partial:
    """A sine of a timbre: its frequency and level relative to the note, its decay relative to the ring."""

    ratio: float
    level: float
    ring: float = 1.0


@dataclass(frozen=True, slots=True)
class Note:
    """One tone. Struck, it dies away over `length_ms`; held, it keeps its level until then."""

    at_ms: float
    hz: float
    length_ms: float
    timbre: tuple[Partial, ...]
    is_held: bool = False


@dataclass(frozen=True, slots=True)
class Chime:
    """What is played, and what to call it in a list."""

    description: str
    notes: tuple[Note, ...]

    @property
    def length_ms(self) -> float:
        """Until the last note has ended."""
        return max(note.at_ms + note.length_ms for note in self.notes)


# The free bar of a door chime: its next modes are 2.76 and 5.40 times the lowest one and die sooner.
_BAR = (Partial(1, 1.0), Partial(2.76, 0.15, 0.35), Partial(5.40, 0.04, 0.15))
# A plate's partials are no harmonics and lie close together.
_PLATE = (
    Partial(1, 1.0),
    Partial(1.48, 0.25, 0.8),
    Partial(2.02, 0.18, 0.7),
    Partial(2.67, 0.12, 0.5),
    Partial(3.51, 0.06, 0.35),
)
_SINE = (Partial(1, 1.0),)
# Odd harmonics, as of a buzzer; what makes a tone heard over a crowd.
_REED = (Partial(1, 1.0), Partial(3, 0.33), Partial(5, 0.2))

_C4, _C5, _E5, _G5, _A5, _C6, _E6 = 261.63, 523.25, 659.26, 783.99, 880.0, 1046.5, 1318.5


def _bars(step_ms: float, *hz: float) -> tuple[Note, ...]:
    """Bars struck one after the other; only the last one rings on."""
    last = len(hz) - 1
    return tuple(Note(i * step_ms, one, 1400 if i == last else 900, _BAR) for i, one in enumerate(hz))


def _held(hz: float, at_ms: float, length_ms: float, timbre: tuple[Partial, ...] = _SINE) -> Note:
    return Note(at_ms, hz, length_ms, timbre, is_held=True)


CHIMES: Mapping[str, Chime] = MappingProxyType(
    {
        "ding": Chime("one bright stroke", _bars(0, _E5)),
        "ding-dong": Chime("a door chime: two strokes, falling", _bars(450, _E5, _C5)),
        "three-tone": Chime("a station's chime: three strokes, rising", _bars(350, _C5, _E5, _G5)),
        "four-tone": Chime("a shop's chime: four strokes, falling", _bars(300, _C6, _A5, _G5, _C5)),
        "gong": Chime("one deep stroke that rings for long", (Note(0, _C4, 4000, _PLATE),)),
        "beep": Chime("a short even tone", (_held(1000, 0, 150),)),
        "double-beep": Chime("two short even tones", (_held(1000, 0, 120), _held(1000, 220, 120))),
        "key": Chime("a key tone, as short as a key press", (_held(1400, 0, 60),)),
        "success": Chime("two quick tones, rising", (_held(_C6, 0, 100), _held(_E6, 110, 160))),
        "error": Chime("two low buzzes", (_held(220, 0, 160, _REED), _held(220, 240, 160, _REED))),
        "alarm": Chime(
            "two tones in turn, for two seconds",
            tuple(_held(hz, i * 250, 250, _REED) for i, hz in enumerate((960, 770) * 4)),
        ),
    }
)
