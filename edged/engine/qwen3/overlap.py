"""Codes become samples, chunk by chunk: in a second thread while the next codes are made, or in turn.

Generating codes waits for memory, the vocoder for arithmetic, so the two get along on the same CPU. On two
cores that gained 3 %, no more than runs differ, and with two networks at work at once oneTBB keeps messages
to threads that do not come for them: memory grew by 1 to 7 kB an utterance, in turn by 0 to 1 kB.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice, repeat
from typing import Protocol

import numpy as np

from edged.engine.base import Samples
from edged.engine.qwen3.generate import Codes
from edged.errors import EngineError

# The first frame goes out alone, because somebody waits for it; from then on the fewer calls the better.
_CHUNK_FRAMES = (1, 4, 8)


class VocoderNetwork(Protocol):
    """Continues what it was given since `reset`; see vocoder.py."""

    def reset(self) -> None: ...

    def __call__(self, codes: Codes, /) -> Samples:
        """codes [n, N] -> samples [n * 1920]."""


def decoded(frames: Iterator[Codes], vocoder: VocoderNetwork) -> Generator[tuple[Samples, int]]:
    """The samples of chunks of frames, with the number of frames each is made of.

    At most one chunk is with the vocoder and one is being gathered: while nobody takes samples, nothing is
    generated. The thread is gone when the iterator is exhausted, closed, collected or has raised; closing
    waits for the chunk the vocoder is at. Raises EngineError for samples that are not numbers.
    """
    vocoder.reset()
    sizes = chain(_CHUNK_FRAMES, repeat(_CHUNK_FRAMES[-1]))
    size, gathered, at_work = next(sizes), list[Codes](), None
    with ThreadPoolExecutor(1, "vocoder") as thread:
        for codes in frames:
            gathered.append(codes)
            if at_work is not None and (at_work.done() or len(gathered) >= size):
                yield at_work.result()
                at_work = None
            if at_work is None and len(gathered) >= size:
                at_work = thread.submit(_decode, vocoder, gathered)
                if size == _CHUNK_FRAMES[0]:  # the first: nothing is worth delaying it
                    yield at_work.result()
                    at_work = None
                size, gathered = next(sizes), []
        if at_work is not None:
            yield at_work.result()
        if gathered:
            yield _decode(vocoder, gathered)


def decoded_in_turn(frames: Iterator[Codes], vocoder: VocoderNetwork) -> Generator[tuple[Samples, int]]:
    """The same without a thread."""
    vocoder.reset()
    sizes = chain(_CHUNK_FRAMES, repeat(_CHUNK_FRAMES[-1]))
    while gathered := list(islice(frames, next(sizes))):
        yield _decode(vocoder, gathered)


def _decode(vocoder: VocoderNetwork, gathered: list[Codes]) -> tuple[Samples, int]:
    samples = vocoder(np.stack(gathered))
    if not np.isfinite(samples).all():  # would be a full-scale click, or an offset that burns a loudspeaker
        raise EngineError("the vocoder's samples are not numbers", "edged model verify; another model")
    return samples, len(gathered)
