"""What a site does to speech, and what is done to speech for it: an equaliser and a compressor each.

A preset changes how well words are understood, not how loud they are: what it takes from sounds that a
site hides or that carry no words, it gives to the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Shape = Literal["high_pass", "low_pass", "low_shelf", "high_shelf", "peak"]


@dataclass(frozen=True, slots=True)
class Band:
    """One section of an equaliser; high_pass and low_pass have no gain."""

    shape: Shape
    frequency_hz: float
    gain_db: float = 0.0
    q: float = 0.7071  # as flat as can be; a shelf without a hump


@dataclass(frozen=True, slots=True)
class Compression:
    """What is louder than the threshold becomes less loud: of `ratio` dB above it 1 dB is left.

    The threshold is relative to the loudness of the programme. Attack and release are the times in which
    63 % of a change of the gain in dB is made.

    Raises ValueError for a ratio below 1, which would expand, and for times that are none.
    """

    threshold_lu: float
    ratio: float
    attack_ms: float
    release_ms: float

    def __post_init__(self) -> None:
        if self.ratio < 1 or self.attack_ms <= 0 or self.release_ms <= 0:
            raise ValueError(f"{self} is no compression")

    def reduction_db(self, level_lu: float) -> float:
        """What a steady sound of this level, relative to the programme's loudness, loses."""
        return max(0.0, level_lu - self.threshold_lu) * (1 - 1 / self.ratio)


@dataclass(frozen=True, slots=True)
class Preset:
    """An equaliser, a compressor behind it, and what they take from the loudness of speech.

    `make_up_db` is the mean over voices and prompts as measured; most voices come out within 1 LU of
    it, none of twelve more than 1.3 away (with `horn` 2); tones up to 5.5.
    """

    description: str
    bands: tuple[Band, ...] = ()
    compression: Compression | None = None
    make_up_db: float = 0.0


# Chosen with benchmarks/intelligibility_noise.py and its prompts for tuning, by the mean gain over all ratios
# of speech to noise. What all of them have in common:
# - 500 Hz, where shelves turn: below it are pitch and the first formant, loud, and the part of speech that
#   noise hides and halls hold the longest; 1500 Hz: above it are the second formant and the consonants.
# - Half as much of either shelf gains less in loud noise, twice as much loses where there is little.
# - A release of 250 ms and more levels words and not their sounds; with 60 ms the envelope that carries the
#   words is flattened, and more is lost than gained.
PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "flat": Preset("as it was spoken"),
        # 80 Hz: below the deepest voice. Little is gained where little is lost: only the ends of sentences
        # are lifted, as far as that costs nothing without noise.
        "quiet_room": Preset(
            "a room where people listen",
            (Band("high_pass", 80), Band("low_shelf", 500, -2)),
            Compression(threshold_lu=-10, ratio=1.5, attack_ms=5, release_ms=400),
            make_up_db=6.3,
        ),
        # 15 ms of attack let the beginning of a sound through, which comes without its echo. 3 : 1 from
        # -15 LU on: what the echo of a loud sound would cover is as loud as that.
        "hall": Preset(
            "a large room that echoes",
            (Band("high_pass", 100), Band("low_shelf", 500, -6), Band("high_shelf", 1500, 3)),
            Compression(threshold_lu=-15, ratio=3, attack_ms=15, release_ms=250),
            make_up_db=12.5,
        ),
        # 2 : 1: at 3 : 1 more is lost in moderate noise than is gained in loud noise.
        "noisy": Preset(
            "machines, traffic or many voices",
            (Band("high_pass", 100), Band("low_shelf", 500, -4), Band("high_shelf", 1500, 4)),
            Compression(threshold_lu=-10, ratio=2, attack_ms=5, release_ms=400),
            make_up_db=8.1,
        ),
        # 400 and 6000 Hz: the band of a horn; what is outside is heat and excursion. 1 ms of attack: what is
        # left of a voice without its low notes is short pulses, 21 dB above its loudness. 3 : 1 takes nothing
        # more of those, and loses where there is little noise.
        "horn": Preset(
            "a horn loudspeaker outdoors",
            (Band("high_pass", 400), Band("high_shelf", 1500, 3), Band("low_pass", 6000)),
            Compression(threshold_lu=-14, ratio=2, attack_ms=1, release_ms=250),
            make_up_db=12.0,
        ),
    }
)
