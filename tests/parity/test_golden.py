"""The committed golden files themselves: enough, and small."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parity.cases import CASES
from tests.parity.golden import Golden

_FOLDER = Path(__file__).resolve().parents[1] / "golden/qwen3"

pytestmark = pytest.mark.parity


def test_they_are_small() -> None:
    """A clone does not carry more than 1.5 MB of them."""
    assert sum(path.stat().st_size for path in _FOLDER.iterdir()) < 1_500_000


@pytest.mark.parametrize("checkpoint", ["custom_voice", "base", "voice_design"])
def test_every_kind_of_model_speaks_at_length(checkpoint: str) -> None:
    """At least 150 frames of 16 codes greedily in each text mode, and an utterance that ends by itself."""
    golden = Golden(_FOLDER)
    for streaming_text in (False, True):
        cases = [
            case
            for case in CASES
            if (case.checkpoint, case.streaming_text) == (checkpoint, streaming_text)
            and case.noise_seed is None
        ]
        assert sum(len(golden.spoken(case).codes) for case in cases) >= 150
    assert any(golden.spoken(case).ended for case in CASES)
