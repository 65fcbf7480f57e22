"""A vocabulary with just the merges a test needs."""

from __future__ import annotations

import json
from pathlib import Path

from tests.fakes.qwen3_checkpoint import byte_alphabet


def write_vocabulary(folder: Path, *merges: tuple[str, str]) -> dict[str, int]:
    """Write `vocab.json` and `merges.txt` of all bytes and `merges`, earlier ones first; ids by text."""
    alphabet = byte_alphabet()

    def printable(text: str) -> str:
        return "".join(alphabet[byte] for byte in text.encode())

    pairs = [(printable(left), printable(right)) for left, right in merges]
    tokens = [*alphabet.values(), *(left + right for left, right in pairs)]
    vocabulary = {token: index for index, token in enumerate(tokens)}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    lines = ["#version: 0.2", *(f"{left} {right}" for left, right in pairs)]
    (folder / "merges.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {left + right: vocabulary[printable(left + right)] for left, right in merges}
