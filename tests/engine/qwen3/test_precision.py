"""Choosing precisions."""

from __future__ import annotations

import pytest

from edged.engine.qwen3.precision import PRECISIONS, Precision, Precisions, Weights, choose
from edged.errors import BadInputError


def test_every_choice_of_weights_has_precisions() -> None:
    """And none of them gives the vocoder 8 bits."""
    assert set(PRECISIONS) == set(Weights)
    assert {choice.vocoder for choice in PRECISIONS.values()} <= {Precision.FP16, Precision.FP32}


def test_mixed_is_a_small_talker_with_an_exact_predictor() -> None:
    """4 bits flip the predictor's codes, so only the talker gets them."""
    mixed = choose("mixed")
    assert (mixed.talker, mixed.predictor) == (Precision.INT4, Precision.INT8)


def test_a_part_can_be_set_otherwise() -> None:
    """The rest stays what the weights say."""
    chosen = choose("int4", predictor="int8", vocoder="fp32")
    assert chosen == Precisions(Precision.INT4, Precision.INT8, Precision.FP32)


@pytest.mark.parametrize("weights", list(Weights))
def test_words_and_precisions_stand_for_each_other(weights: Weights) -> None:
    """The words of a manifest can be read back."""
    assert Precisions.parse(str(PRECISIONS[weights])) == PRECISIONS[weights]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"weights": "int5"}, "weights: there is no 'int5'"),
        ({"weights": "int8", "talker": "mixed"}, "talker: there is no 'mixed'"),
        ({"weights": "int8", "vocoder": "int8"}, "vocoder"),
    ],
)
def test_what_there_is_not_is_refused(arguments: dict[str, str], says: str) -> None:
    """With the choices there are."""
    with pytest.raises(BadInputError, match=says) as caught:
        choose(**arguments)
    assert "fp16" in caught.value.hint


def test_weight_only_bits_need_avx2() -> None:
    """Without AVX2 they are unpacked; 8-bit arithmetic and floats are what they are everywhere."""
    assert choose("mixed").instruction_set == "AVX2"
    assert choose("w8a8").instruction_set == "SSE4.2"
    assert choose("w8a8", talker="int8").instruction_set == "AVX2"
