"""Compares the scores code 0 is drawn by with transformers', and writes what the unit test replays.

Logits with ties, zeros and extreme values under random settings: the comparison on the published vocabulary,
the golden file on a small one. Where scores differ it says so, exits with 1 and writes nothing.
Run by the interpreter of `.venv-reference`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

# run by its path, so that the clone is not on the module path yet
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

# installed in .venv-reference only
import torch  # type: ignore[import-not-found]
import transformers.generation.logits_process as library  # type: ignore[import-not-found]
from numpy.typing import NDArray

from edged.engine.qwen3.sampler import Code0Sampling, code0_scores

Floats = NDArray[np.float32]

_DEFAULT_OUT = Path(__file__).resolve().parents[1] / "golden" / "qwen3" / "sampler.npz"
_CODES, _CONTROL_CODES, _EOS = 2048, 1024, 102  # of the published vocabulary; the end is a control code
_GOLDEN_CODES, _GOLDEN_DRAWS = 64, 120
_LOUD = 50.0  # control codes are the likeliest, and must not be drawn for all that


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw of code 0, from logits [codes + control codes]."""

    logits: Floats
    history: list[int]
    sampling: Code0Sampling
    eos: int
    tied: bool


def draws(count: int, codes: int) -> Iterator[Draw]:
    """`count` random draws, every other with ties."""
    rng = np.random.default_rng(codes)
    for number in range(count):
        logits = np.full(codes + _CONTROL_CODES, _LOUD)
        scale = rng.choice([0.01, 1, 3, 30])
        logits[:codes] = rng.standard_normal(codes) * scale
        logits[codes + _EOS] = rng.standard_normal() * scale
        if tied := number % 2 == 0:
            logits = np.round(logits)
        if number % 5 == 0:
            logits[rng.integers(0, codes, 3)] = rng.choice([-1e30, 1e30, 1e4, -np.inf], 3, replace=False)
        sampling = Code0Sampling(
            do_sample=bool(rng.random() < 0.9),
            temperature=float(rng.choice([0.1, 0.9, 1.0, 2.0])),
            top_k=int(rng.choice([0, 1, 5, 50, codes, 100_000])),
            top_p=float(rng.choice([0.01, 0.5, 0.8, 0.95, 1.0])),
            repetition_penalty=float(rng.choice([0.5, 1.0, 1.05, 5.0])),
        )
        history = rng.integers(0, codes, rng.choice([0, 1, 2, 3, 40, 400])).tolist()
        yield Draw(logits.astype(np.float32), history, sampling, codes + _EOS, tied)


def expected_scores(draw: Draw) -> Floats:
    """The logits after the library's processors, in the order of its `generate`."""
    vocab_size, sampling = len(draw.logits), draw.sampling
    control = [code for code in range(vocab_size - _CONTROL_CODES, vocab_size) if code != draw.eos]
    processors = library.LogitsProcessorList()
    if sampling.repetition_penalty != 1:
        processors.append(library.RepetitionPenaltyLogitsProcessor(sampling.repetition_penalty))
    processors.append(library.MinNewTokensLengthLogitsProcessor(0, 2, draw.eos))
    processors.append(library.SuppressTokensLogitsProcessor(control))
    if sampling.do_sample:
        processors.append(library.TemperatureLogitsWarper(sampling.temperature))
        if sampling.top_k:
            processors.append(library.TopKLogitsWarper(sampling.top_k))
        if sampling.top_p < 1:
            processors.append(library.TopPLogitsWarper(sampling.top_p))
    ids = torch.tensor([draw.history], dtype=torch.long)
    scores: Floats = processors(ids, torch.from_numpy(draw.logits.copy())[None])[0].numpy()
    return scores


def is_same(draw: Draw, expected: Floats) -> bool:
    """Whether edged has the same scores; equal ones may change places, as the library sorts unstably."""
    found = code0_scores(draw.logits, draw.history, draw.sampling, eos=draw.eos)
    if draw.tied and draw.sampling.top_p < 1:
        expected, found = np.sort(expected), np.sort(found)
    return np.array_equal(found, expected)


def write_golden(out: Path) -> None:
    """Draws whose outcome is defined to the last score, one row each; histories are padded with -1."""
    kept = [
        draw for draw in draws(_GOLDEN_DRAWS, _GOLDEN_CODES) if not (draw.tied and draw.sampling.top_p < 1)
    ]
    longest = max(len(draw.history) for draw in kept)
    np.savez_compressed(
        out,
        logits=[draw.logits for draw in kept],
        history=np.array([draw.history + [-1] * (longest - len(draw.history)) for draw in kept], np.int16),
        sampling=[astuple(draw.sampling) for draw in kept],
        scores=[expected_scores(draw) for draw in kept],
        eos=_GOLDEN_CODES + _EOS,
    )


def main() -> int:
    """Compare, then write the golden file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--draws", type=int, default=8000, help="how many to compare [8000]")
    parser.add_argument("--out", type=Path, default=_DEFAULT_OUT, help="the golden file")
    arguments = parser.parse_args()
    differing = [
        draw.sampling for draw in draws(arguments.draws, _CODES) if not is_same(draw, expected_scores(draw))
    ]
    print(f"{arguments.draws} draws, {len(differing)} differ", *differing[:10], sep="\n", file=sys.stderr)
    if differing:
        return 1
    write_golden(arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
