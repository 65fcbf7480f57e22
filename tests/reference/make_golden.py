"""Runs the reference on everything in tests/parity/cases.py and writes what the parity tests replay.

Run by the interpreter of `.venv-reference`. The same seed on the same machine writes the same bytes.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

# run by its path, so that the clone is not on the module path yet
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

# installed in .venv-reference only
import torch  # type: ignore[import-not-found]
from transformers import logging  # type: ignore[import-not-found]

from edged.engine.qwen3.sampler import gumbel
from tests.parity import cases
from tests.parity.cases import CASES, CHECKPOINTS, DRAWS, WINDOWS, Case
from tests.reference.reference import Reference, Request

_DEFAULT_OUT = Path(__file__).resolve().parents[1] / "golden" / "qwen3"
_FRAMES = 112  # of each case; a codec frame in the published models is 80 ms
_PACKAGES = ("qwen-tts", "torch", "transformers", "numpy")

Arrays = dict[str, Any]


def main() -> None:
    """Write the golden files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=_EXAMPLE)
    parser.add_argument(
        "--out", type=Path, default=_DEFAULT_OUT, help="folder to write to [tests/golden/qwen3]"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the checkpoints' weights [0]")
    parser.add_argument("--frames", type=int, default=_FRAMES, help=f"longest utterance [{_FRAMES}]")
    arguments = parser.parse_args()
    logging.set_verbosity_error()
    torch.set_num_threads(1)  # sums in the same order everywhere, and the networks are too small to share
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        _make(arguments.out, Path(folder), arguments.seed, arguments.frames)


_EXAMPLE = "example: .venv-reference/bin/python tests/reference/make_golden.py --out /tmp/golden --seed 1"


def _make(out: Path, work: Path, seed: int, frames: int) -> None:
    fingerprints, references = {}, {}
    for name, checkpoint in CHECKPOINTS.items():
        folder = checkpoint.write(work / name, seed)
        fingerprints[name] = cases.fingerprint(folder)
        references[name] = Reference(folder)
    for name, reference in references.items():
        utterances: Arrays = {}
        for case in CASES:
            if case.checkpoint == name:
                utterances.update(_utterance(reference, case, frames))
        np.savez_compressed(out / f"{name}.npz", **utterances)
    any_reference = references["custom_voice"]
    np.savez_compressed(out / "vocoder.npz", **_windows(any_reference))
    np.savez_compressed(out / "draws.npz", **_draws(any_reference))
    about = {
        "seed": seed,
        "checkpoints": fingerprints,
        "made_with": {package: version(package) for package in _PACKAGES},
    }
    (out / "about.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def _utterance(reference: Reference, case: Case, frames: int) -> Arrays:
    """What the reference was fed and said, up to the first choice that rounding decides."""
    request = Request(
        case.text,
        case.language,
        case.speaker,
        case.instruct,
        case.x_vector(reference.hidden_size),
        case.streaming_text,
    )
    said = reference.speak(request, frames, case.rng())
    near_ties = np.flatnonzero(said.margins < cases.NEAR_TIE)
    kept = int(near_ties[0]) if near_ties.size else len(said.codes)
    ended = said.ended and kept == len(said.codes)
    why = "ended by itself" if ended else "near tie" if near_ties.size else "cut"
    print(f"{case.name}: {kept} frames ({why})", file=sys.stderr)
    return {
        f"{case.name}/embeds": said.embeds,
        f"{case.name}/trailing": said.trailing,
        f"{case.name}/pad": said.pad,
        f"{case.name}/codes": said.codes[:kept].astype(np.uint16),
        f"{case.name}/hidden": said.hidden[: kept : cases.HIDDEN_STRIDE],
        f"{case.name}/ended": np.array(ended),
    }


def _windows(reference: Reference) -> Arrays:
    """Every few samples of each window."""
    arrays: Arrays = {}
    for frames in WINDOWS:
        samples = reference.vocode(cases.codes_window(frames))
        print(f"vocoder: {frames} frames, {samples.size} samples", file=sys.stderr)
        arrays[f"{frames}"] = samples[:: cases.SAMPLE_STRIDE]
    return arrays


def _draws(reference: Reference) -> Arrays:
    """The codes drawn under each setting."""
    arrays: Arrays = {}
    for number, draws in enumerate(DRAWS):
        print(f"sampler: {draws}", file=sys.stderr)
        rng, drawn = draws.rng(), list[int]()
        for logits in draws.logits(reference.vocab_size, reference.eos):
            scores = reference.scores(logits, drawn, **asdict(draws))
            drawn.append(int(np.argmax(scores + gumbel(rng, scores.shape))))
        arrays[f"{number}"] = np.array(drawn, np.uint16)
    return arrays


if __name__ == "__main__":
    main()
