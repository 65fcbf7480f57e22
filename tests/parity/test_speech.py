"""From the text to the codes: the same as the reference, token for token."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.parity.cases import CASES, HIDDEN_STRIDE, Case
from tests.parity.golden import Golden
from tests.parity.speech import Speech

_each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@_each_case
def test_the_talker_is_fed_the_same(case: Case, golden: Golden, speech: Callable[[str], Speech]) -> None:
    """Prompt, text still to come and padding equal the reference's embeddings to 1e-5."""
    said, prompt = golden.spoken(case), speech(case.checkpoint).prompt(case)
    np.testing.assert_allclose(prompt.embeds, said.embeds, rtol=0, atol=1e-5)
    np.testing.assert_allclose(prompt.pad, said.pad, rtol=0, atol=1e-5)
    # where no text is to come the reference keeps one row of padding, and edged none
    to_come = prompt.trailing if case.streaming_text else prompt.pad[None]
    np.testing.assert_allclose(to_come, said.trailing, rtol=0, atol=1e-5)


@_each_case
def test_the_codes_are_the_same(case: Case, golden: Golden, speech: Callable[[str], Speech]) -> None:
    """All 16 codes of every frame, greedy and drawn, and the end where the reference ends by itself.

    Hidden states, which are about 1 in size, agree to 1e-5: float32 sums taken in another order.
    """
    said = golden.spoken(case)
    codes, hidden = speech(case.checkpoint).speak(case, len(said.codes) + bool(said.ended))
    np.testing.assert_array_equal(codes, said.codes)
    np.testing.assert_allclose(hidden[::HIDDEN_STRIDE], said.hidden, rtol=0, atol=1e-5)
