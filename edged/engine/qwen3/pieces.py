"""Prompts in pieces of few lengths.

OpenVINO keeps what it made for every number of rows it has seen: 2 to 5 MB a length of the 0.6B talker, and
prompts come in hundreds of lengths. In pieces of 8, 16, 24 or 32 rows and a rest below 8 there are eleven.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edged.engine.qwen3.generate import Floats, TalkerNetwork

_STEP, _LONGEST = 8, 32  # 32 rows take three times as long as one; more at once gain nothing


@dataclass(frozen=True, slots=True)
class InPieces:
    """A talker that is given what it reads piece by piece; the result is that of the whole."""

    talker: TalkerNetwork

    def reset(self) -> None:
        """Forget the utterance."""
        self.talker.reset()

    def __call__(self, embeds: Floats) -> tuple[Floats, Floats]:
        """embeds [T, H] -> logits [vocabulary] and hidden [H] of the last position."""
        *before, last = np.split(embeds, _cuts(len(embeds)))
        for piece in before:
            self.talker(piece)
        return self.talker(last)


def _cuts(rows: int) -> list[int]:
    """Where to cut so many rows."""
    return sorted({*range(_LONGEST, rows, _LONGEST), rows - rows % _STEP} - {0, rows})
