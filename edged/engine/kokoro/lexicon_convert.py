"""Writes the English dictionary and spelling network of the model folder. Runs at model installation only."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from edged.engine.kokoro.lexicon import LEXICON_FILE, OOV_ALPHABET_FILE, OOV_MODEL_FILE
from edged.engine.runtime import ov, read_model
from edged.errors import ModelUnavailableError

# As the acoustic model was trained: the tap of "water" is T, the glottal stop of "button" a plain t.
_TRAINED_AS = str.maketrans({"ɾ": "T", "ʔ": "t"})
_POS_NAMES = {"DEFAULT": "", "None": "PAUSE"}


def build_lexicon(hibari_assets: Path, out_dir: Path) -> None:
    """Convert the assets of the hibari-tts wheel (`hibari/assets`) into three files in `out_dir`.

    US English only; where the checked ("gold") dictionary has a word, the machine-made ("silver") one
    is not asked. Raises ModelUnavailableError when an asset is missing or malformed.
    """
    try:
        silver = _load_json(hibari_assets / "lexicon_us_silver.json.gz")
        gold = _load_json(hibari_assets / "lexicon_us_gold.json.gz")
        write_dictionary({**silver, **gold}, out_dir / LEXICON_FILE)
        ov.save_model(read_model(hibari_assets / "oov.onnx"), out_dir / OOV_MODEL_FILE)
        (out_dir / OOV_ALPHABET_FILE).write_bytes((hibari_assets / "oov.json").read_bytes())
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelUnavailableError(
            f"{hibari_assets}: cannot convert the English dictionary: {error}",
            "edged model install kokoro --force",
        ) from error


def _load_json(path: Path) -> dict[str, Any]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        entries: dict[str, Any] = json.load(file)
        return entries


def write_dictionary(entries: dict[str, Any], path: Path) -> None:
    """Write `entries` (word -> phonemes, or -> part of speech -> phonemes) to `path`, whole or not at all."""
    unfinished = path.with_suffix(".tmp")
    unfinished.unlink(missing_ok=True)
    connection = sqlite3.connect(unfinished)
    try:
        connection.execute(
            "CREATE TABLE readings (word TEXT, pos TEXT, phonemes TEXT NOT NULL, PRIMARY KEY (word, pos))"
            " WITHOUT ROWID"
        )
        connection.executemany("INSERT INTO readings VALUES (?, ?, ?)", sorted(_rows(entries)))
        connection.commit()
    finally:
        connection.close()
    os.replace(unfinished, path)


def _rows(entries: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """(word, part of speech, phonemes); a reading that is null in the source is left out."""
    for word, entry in entries.items():
        readings = entry if isinstance(entry, dict) else {"DEFAULT": entry}
        for pos, phonemes in readings.items():
            if phonemes:
                yield word, _POS_NAMES.get(pos, pos), phonemes.translate(_TRAINED_AS)
