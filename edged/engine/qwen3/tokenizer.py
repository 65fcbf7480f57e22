"""Text to token ids: the byte-level BPE of the Qwen2 family, read from a checkpoint's own files.

Equal to transformers' `Qwen2TokenizerFast` on the same files (`tests/reference/compare_tokenizer.py`).
"""

from __future__ import annotations

import json
from pathlib import Path

from tokenizers import AddedToken, Regex, normalizers, pre_tokenizers
from tokenizers import Tokenizer as BackendTokenizer
from tokenizers.models import BPE

from edged.engine.qwen3.config import ModelConfig
from edged.errors import ModelUnavailableError

VOCABULARY_FILE = "vocab.json"
MERGES_FILE = "merges.txt"
TOKENIZER_CONFIG_FILE = "tokenizer_config.json"

# where the Qwen2 family cuts text before BPE: part of the trained model, not ours to improve
_PRE_TOKENS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# words whose pieces are remembered: none, as a run of Chinese is one word and hardly ever comes again, but
# takes kilobytes; a sentence takes 0.03 ms without
_CACHED_WORDS = 0
_HINT = "install the model again, or check it with `edged model verify`"


class Tokenizer:
    """Token ids of a text, control tokens such as `<|im_start|>` recognised.

    Raises ModelUnavailableError when a file of the folder is missing, unreadable or not of this model.
    """

    def __init__(self, folder: Path, config: ModelConfig) -> None:
        added = _added_tokens(folder, config)
        self.control_ids = frozenset(added)
        self._backend = _backend(folder)
        self._backend.add_tokens([added[index] for index in sorted(added)])
        # the library numbers them on from the vocabulary's end; a checkpoint may leave a gap there
        self._published = {self._backend.token_to_id(token.content): index for index, token in added.items()}

    def __call__(self, text: str) -> list[int]:
        ids = self._backend.encode(text, add_special_tokens=False).ids
        return [self._published.get(index, index) for index in ids]


def _added_tokens(folder: Path, config: ModelConfig) -> dict[int, AddedToken]:
    """The tokens beside the BPE vocabulary, by id."""
    path = folder / TOKENIZER_CONFIG_FILE
    known = {config.im_start_token_id: "<|im_start|>", config.im_end_token_id: "<|im_end|>"}
    if not path.exists():
        return {index: _control(content) for index, content in known.items()}
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))["added_tokens_decoder"]
        added = {int(index): AddedToken(**entry) for index, entry in listed.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelUnavailableError(f"{path}: no readable added_tokens_decoder: {error}", _HINT) from error
    for index, content in known.items():
        if index not in added or added[index].content != content:
            raise ModelUnavailableError(
                f"{path}: {content} is not token {index}, as config.json has it", _HINT
            )
    return added


def _control(content: str) -> AddedToken:
    return AddedToken(content, normalized=False, special=True)


def _backend(folder: Path) -> BackendTokenizer:
    vocabulary, merges = folder / VOCABULARY_FILE, folder / MERGES_FILE
    try:
        # read by the library itself: the same through Python objects takes 60 MB more while it loads
        model = BPE.from_file(str(vocabulary), str(merges), cache_capacity=_CACHED_WORDS)
    except Exception as error:  # the library raises bare Exception for every trouble with these files
        raise ModelUnavailableError(f"{vocabulary}, {merges}: {error}", _HINT) from error
    backend = BackendTokenizer(model)
    backend.normalizer = normalizers.NFC()
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PRE_TOKENS), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    return backend
