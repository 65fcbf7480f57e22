"""Compare edged's tokenizer with transformers' on a real Qwen vocabulary, text by text.

    .venv-reference/bin/python tests/reference/compare_tokenizer.py RANKS [--texts 20000]

RANKS lists the vocabulary's byte strings by rank, as tiktoken writes them. The PyPI package `dashscope`
carries Qwen's (`pip download --no-deps dashscope`; in that zip file `dashscope/resources/qwen.tiktoken`).
`vocab.json` and `merges.txt` follow from it. The vocabulary is not ours and is never committed.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import sys
import tempfile
import unicodedata
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

# run by its path, so that the clone is not on the module path yet
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

# installed in .venv-reference only
from transformers import Qwen2TokenizerFast  # type: ignore[import-not-found]

from edged.engine.qwen3.config import ModelConfig
from edged.engine.qwen3.tokenizer import MERGES_FILE, TOKENIZER_CONFIG_FILE, VOCABULARY_FILE, Tokenizer
from tests.fakes.qwen3_checkpoint import TINY_PREDICTOR, TINY_TALKER, byte_alphabet, model_config

FIRST_ADDED = 151643
# the family's tokens beside the BPE vocabulary, in the order of their ids
_CONTROL = (
    "endoftext im_start im_end object_ref_start object_ref_end box_start box_end quad_start quad_end "
    "vision_start vision_end vision_pad image_pad video_pad"
)
_PLAIN = "<tool_call> </tool_call>"
_CODE = "fim_prefix fim_middle fim_suffix fim_pad repo_name file_sep"
_THINK = "<tool_response> </tool_response> <think> </think>"
_SPEECH = "<|audio_start|> <|audio_end|> <tts_pad> <tts_text_bos> <tts_text_eod> <|audio_pad|>"

_TEXT = (
    "the The THE don't DON'T I'll we've it's they're could'd iPhone WiFi QR-code e-mail naïve Zürich "
    "Привет мир 你好 请注意 检票口 上海虹桥 こんにちは カタカナ 안녕하세요 ไทย हिन्दी שלום مرحبا"
)
_WORDS = _TEXT.split()
_SYMBOLS = "，。！？、：；“”‘’《》（）【】…—·.,!?:;'\"()[]{}<>|/\\@#$%^&*_+-=~`№€¥£°½²µ"
_EMOJI = ("😀", "👍🏽", "👨‍👩‍👧‍👦", "🇨🇳", "❤️", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿")
_SPACES = " \n\r\t\x0b\x85\u00a0\u2009\u200b\u3000"
_MARKS = "\u0301\u0308\u0327\u030a\u0323\u3099\u20e3\ufe0f\u200d\u064b\u0e34\u093f"


def write_files(ranks: Path, folder: Path) -> None:
    """The checkpoint's three tokenizer files, derived from `ranks`."""
    tokens = {
        base64.b64decode(token): int(rank) for token, rank in map(str.split, ranks.read_text().splitlines())
    }
    alphabet = byte_alphabet()

    def printable(token: bytes) -> str:
        return "".join(alphabet[byte] for byte in token)

    vocabulary = {printable(token): rank for token, rank in tokens.items()}
    by_rank = sorted((rank, token) for token, rank in tokens.items() if len(token) > 1)
    merges = [map(printable, _parts(token, tokens)) for _, token in by_rank]
    (folder / VOCABULARY_FILE).write_text(json.dumps(vocabulary, ensure_ascii=False), encoding="utf-8")
    lines = ["#version: 0.2", *(" ".join(pair) for pair in merges)]
    (folder / MERGES_FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / TOKENIZER_CONFIG_FILE).write_text(json.dumps(_tokenizer_config()), encoding="utf-8")


def _parts(token: bytes, ranks: dict[bytes, int]) -> list[bytes]:
    """The two parts whose merge makes `token`: BPE on its bytes with the earlier ranks only."""
    parts = [token[index : index + 1] for index in range(len(token))]
    while len(parts) > 2:
        pairs = [left + right for left, right in pairwise(parts)]
        rank, first = min((ranks.get(pair, len(ranks)), index) for index, pair in enumerate(pairs))
        if rank >= ranks[token]:
            raise ValueError(f"{token!r} is not made by merging earlier tokens")
        parts[first : first + 2] = [pairs[first]]
    return parts


def _tokenizer_config() -> dict[str, object]:
    contents = [
        *((f"<|{name}|>", True) for name in _CONTROL.split()),
        *((name, False) for name in _PLAIN.split()),
        *((f"<|{name}|>", False) for name in _CODE.split()),
        *((name, False) for name in _THINK.split()),
        *((name, True) for name in _SPEECH.split()),
    ]
    shared = {"lstrip": False, "normalized": False, "rstrip": False, "single_word": False}
    added = {
        str(FIRST_ADDED + index): {"content": content, "special": special, **shared}
        for index, (content, special) in enumerate(contents)
    }
    return {
        "add_prefix_space": False,
        "added_tokens_decoder": added,
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
        "tokenizer_class": "Qwen2Tokenizer",
        "unk_token": None,
    }


def random_text(draw: random.Random, controls: list[str]) -> str:
    """A text of up to 40 pieces of every kind that a request, or an attacker, may hold."""
    kinds: tuple[Callable[[], str], ...] = (
        lambda: draw.choice(_WORDS),
        lambda: chr(draw.randint(0x4E00, 0x9FA5)),
        lambda: "".join(chr(draw.randint(0x4E00, 0x9FA5)) for _ in range(draw.randint(2, 12))),
        lambda: "".join(draw.choice("abcdefghijklmnopqrstuvwxyzABCXYZ") for _ in range(draw.randint(1, 9))),
        lambda: str(draw.randint(0, 10**6)),
        lambda: draw.choice(_SYMBOLS) * draw.randint(1, 3),
        lambda: draw.choice(_EMOJI),
        lambda: "".join(draw.choices(_SPACES, (9, 4, 2, 2, 1, 1, 1, 1, 1, 1), k=draw.randint(1, 3))),
        lambda: draw.choice("aeiouACEN\u304b\u30cf") + draw.choice(_MARKS),
        lambda: unicodedata.normalize("NFD", draw.choice(_WORDS)),
        lambda: _any_character(draw),
        lambda: draw.choice(controls),
    )
    weights = (6, 4, 6, 4, 3, 4, 2, 6, 2, 1, 3, 0.3)
    return "".join(make() for make in draw.choices(kinds, weights, k=draw.randint(1, 40)))


def _any_character(draw: random.Random) -> str:
    while 0xD800 <= (code := draw.choice((draw.randint(0, 0x2FFF), draw.randint(0, 0x10FFFF)))) <= 0xDFFF:
        pass
    return chr(code)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("ranks", type=Path)
    parser.add_argument("--texts", type=int, default=20_000)
    parser.add_argument("--folder", type=Path, help="keep the derived files here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.folder or Path(scratch)
        write_files(arguments.ranks, folder)
        config = ModelConfig.model_validate(model_config("custom_voice", "0b6", TINY_TALKER, TINY_PREDICTOR))
        ours, theirs = Tokenizer(folder, config), Qwen2TokenizerFast.from_pretrained(folder)
    controls = [token.content for token in theirs.added_tokens_decoder.values()]
    draw = random.Random(0)
    differing = tokens = 0
    for _ in range(arguments.texts):
        text = random_text(draw, controls)
        expected, found = theirs(text)["input_ids"], ours(text)
        tokens += len(expected)
        if found != expected:
            differing += 1
            print(f"{text!r}\n  expected {expected}\n  found    {found}")
    print(json.dumps({"texts": arguments.texts, "tokens": tokens, "differing": differing}))
    return int(bool(differing) or not tokens)


if __name__ == "__main__":
    sys.exit(main())
