"""The frame loop, driven by scripted networks."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from edged.engine.qwen3.generate import Drawing, Floats, frames
from tests.fakes.qwen3_networks import (
    EOS,
    GREEDY,
    GROUPS,
    HIDDEN,
    VOCABULARY,
    FakePredictor,
    FakeTalker,
    ending_after,
    never_ending,
)

EMBEDDING = np.arange(VOCABULARY, dtype=np.float32)[:, None].repeat(HIDDEN, 1)


@dataclass(frozen=True)
class Prompt:
    """Three positions to begin with, then `trailing` rows of text."""

    trailing: Floats = field(default_factory=lambda: np.zeros((0, HIDDEN), np.float32))
    embeds: Floats = field(default_factory=lambda: np.full((3, HIDDEN), 5, np.float32))
    pad: Floats = field(default_factory=lambda: np.full(HIDDEN, 0.5, np.float32))


def run(
    talker: FakeTalker, predictor: FakePredictor, prompt: Prompt, drawing: Drawing = GREEDY, seed: int = 0
) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [codes.tolist() for codes in frames(talker, predictor, EMBEDDING, prompt, drawing, rng)]


def test_frames_end_where_the_talker_says_so() -> None:
    """Every frame before the end is there, whole, and the end itself is none."""
    for length in (0, 1, 2, 9):
        codes = run(FakeTalker(ending_after(length)), FakePredictor(), Prompt())
        assert codes == [[never_ending(i), *range(1, GROUPS)] for i in range(length)]


def test_what_goes_into_a_step_is_the_frame_before_and_the_next_text() -> None:
    """Step i gets the sum of the frame's embeddings plus text row i, and the pad once the text is used up."""
    talker, predictor = FakeTalker(ending_after(4)), FakePredictor()
    text = np.array([[10.0] * HIDDEN, [20.0] * HIDDEN], np.float32)
    run(talker, predictor, Prompt(trailing=text))
    prompt, *steps = talker.given
    assert prompt.shape == (3, HIDDEN)
    for index, (step, row) in enumerate(zip(steps, [10, 20, 0.5, 0.5], strict=True)):
        assert step.shape == (1, HIDDEN)
        assert step[0, 0] == never_ending(index) + (index + 1) + row


def test_the_predictor_gets_this_frames_hidden_state_and_code() -> None:
    """Hidden state of the same talker step, embedding of the code drawn from it."""
    predictor = FakePredictor()
    run(FakeTalker(ending_after(3)), predictor, Prompt())
    assert [(hidden[0], embedding[0]) for hidden, embedding, _ in predictor.given] == [
        (index + 1, never_ending(index)) for index in range(3)
    ]


def test_the_talker_forgets_the_utterance_before() -> None:
    """Two utterances in a row are the same."""
    talker = FakeTalker(ending_after(5))
    assert run(talker, FakePredictor(), Prompt()) == run(talker, FakePredictor(), Prompt())
    assert talker.utterances == 2


def test_the_same_seed_draws_the_same() -> None:
    """All randomness comes from the generator given."""
    drawing = Drawing(
        lambda logits, rng: int(rng.integers(40)) if logits.argmax() != EOS else EOS,
        lambda rng: rng.random((GROUPS - 1, 8), np.float32),
        EOS,
    )
    runs = {}
    for name, seed in (("a", 1), ("b", 1), ("other", 2)):
        predictor = FakePredictor()
        codes = run(FakeTalker(ending_after(20)), predictor, Prompt(), drawing, seed)
        runs[name] = (codes, [noise.tolist() for *_, noise in predictor.given])
    assert runs["a"] == runs["b"]
    assert runs["a"][0] != runs["other"][0]
    assert runs["a"][1] != runs["other"][1]


def test_nothing_is_generated_ahead_of_who_takes_it() -> None:
    """A frame taken has cost one talker step; the next step waits until somebody wants the next frame."""
    talker = FakeTalker(ending_after(1000))
    stream = frames(talker, FakePredictor(), EMBEDDING, Prompt(), GREEDY, np.random.default_rng(0))
    for taken in (1, 2, 3):
        next(stream)
        assert len(talker.given) == taken
