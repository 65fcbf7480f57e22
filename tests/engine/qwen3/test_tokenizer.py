from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from edged.engine.qwen3.config import ModelConfig
from edged.engine.qwen3.tokenizer import Tokenizer
from edged.errors import ModelUnavailableError
from tests.fakes.qwen3_checkpoint import byte_alphabet, tiny_config, write_tiny_checkpoint
from tests.fakes.qwen3_vocabulary import write_vocabulary


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_checkpoint(tmp_path_factory.mktemp("qwen3") / "a checkpoint")


@pytest.fixture
def folder(checkpoint: Path, tmp_path: Path) -> Path:
    """The tokenizer's files alone, to be changed."""
    for name in ("vocab.json", "merges.txt", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((checkpoint / name).read_bytes())
    return tmp_path


def _config() -> ModelConfig:
    return ModelConfig.model_validate(tiny_config())


def _bytes(text: str) -> list[int]:
    """Ids of a text none of whose bytes merge: the tiny vocabulary begins with the 256 bytes."""
    order = {symbol: index for index, symbol in enumerate(byte_alphabet().values())}
    return [order[byte_alphabet()[byte]] for byte in text.encode()]


def test_words_are_merged_and_control_tokens_are_one_token(checkpoint: Path) -> None:
    """A known word is one token, a control token never comes apart, all else is its bytes."""
    config, tokenizer = _config(), Tokenizer(checkpoint, _config())
    vocabulary = json.loads((checkpoint / "vocab.json").read_text(encoding="utf-8"))
    assert tokenizer("<|im_start|>assistant\n你<|im_end|>") == [
        config.im_start_token_id,
        vocabulary["assistant"],
        *_bytes("\n你"),
        config.im_end_token_id,
    ]
    assert {config.im_start_token_id, config.im_end_token_id, config.tts_pad_token_id} < tokenizer.control_ids


def test_text_is_cut_where_the_model_was_trained_to_have_it_cut(tmp_path: Path) -> None:
    """Merges reach over no cut: a space goes with the word after it, every digit stands alone."""
    merges = ["a ", " a", "1a", "11", "a1", "\n\n", "a\n", "'s", "!!", "a!", "a'"]
    known = write_vocabulary(tmp_path, *((pair[0], pair[1]) for pair in merges))
    tokenizer = Tokenizer(tmp_path, _config())
    one = {text: index for text in "a1!" for index in _bytes(text)}
    assert tokenizer("a a") == [one["a"], known[" a"]]
    assert tokenizer("a11a") == [one["a"], one["1"], one["1"], one["a"]]
    assert tokenizer("a\n\na") == [one["a"], known["\n\n"], one["a"]]
    assert tokenizer("a's!!") == [one["a"], known["'s"], known["!!"]]


def test_decomposed_characters_are_composed(checkpoint: Path) -> None:
    """An accent written as a combining mark is the same text as the letter that has it."""
    tokenizer = Tokenizer(checkpoint, _config())
    assert tokenizer(unicodedata.normalize("NFD", "é が")) == _bytes("é が")


def test_added_tokens_keep_their_published_ids(folder: Path) -> None:
    """Ids that leave a gap behind the vocabulary are given out as published, not counted through."""
    listed = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    tokens = {entry["content"]: entry for entry in listed["added_tokens_decoder"].values()}
    published = {"<|im_start|>": 1644, "<|im_end|>": 1645, "<|tts_pad|>": 1671}
    listed["added_tokens_decoder"] = {str(index): tokens[name] for name, index in published.items()}
    (folder / "tokenizer_config.json").write_text(json.dumps(listed), encoding="utf-8")
    config = _config().model_copy(update={"im_start_token_id": 1644, "im_end_token_id": 1645})
    assert Tokenizer(folder, config)("<|tts_pad|>a<|im_end|>") == [1671, *_bytes("a"), 1645]


def test_without_a_tokenizer_config_the_ids_of_the_model_config_serve(folder: Path) -> None:
    """The two control tokens of a prompt are known from config.json."""
    whole, config = Tokenizer(folder, _config()), _config()
    (folder / "tokenizer_config.json").unlink()
    bare = Tokenizer(folder, config)
    text = "<|im_start|>user\nhello<|im_end|>\n"
    assert bare(text) == whole(text)
    assert bare.control_ids == {config.im_start_token_id, config.im_end_token_id}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("vocab.json", None),
        ("merges.txt", None),
        ("vocab.json", "{"),
        ("merges.txt", "#version: 0.2\nnobody knows\n"),
        ("tokenizer_config.json", "{}"),
        ("tokenizer_config.json", "[]"),
        ("tokenizer_config.json", '{"added_tokens_decoder": {"1": {"text": "<|im_start|>"}}}'),
    ],
)
def test_a_damaged_file_is_named(folder: Path, name: str, content: str | None) -> None:
    """Missing, cut short or of another format: the error has the file's path."""
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_text(content, encoding="utf-8")
    with pytest.raises(ModelUnavailableError) as caught:
        Tokenizer(folder, _config())
    assert str(folder / name) in caught.value.what


def test_files_of_another_model_are_refused(folder: Path) -> None:
    """Control tokens under other ids than the model's would be read as words."""
    config = _config().model_copy(update={"im_end_token_id": 7})
    with pytest.raises(ModelUnavailableError, match=r"<\|im_end\|> is not token 7"):
        Tokenizer(folder, config)
