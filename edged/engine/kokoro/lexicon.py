"""English pronunciations: a dictionary on disk, and a small network for words it does not hold.

`lexicon_convert` writes both into the model folder.
"""

from __future__ import annotations

import json
import sqlite3
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from edged.engine.runtime import CpuSettings, compile_model, read_model
from edged.errors import ModelUnavailableError

LEXICON_FILE = "lexicon_en.sqlite"
OOV_MODEL_FILE = "oov_en.xml"
OOV_ALPHABET_FILE = "oov_en.json"

# Part of speech -> phonemes. The empty key is the common reading; "PAUSE" is the one before a pause.
Readings = dict[str, str]

_CACHED_WORDS = 4096  # about 1 MB; announcements repeat themselves


class Lexicon:
    """The dictionary, read from disk word by word; nothing is opened before the first look-up."""

    def __init__(self, model_dir: Path) -> None:
        self._path = model_dir / LEXICON_FILE
        self.get = lru_cache(_CACHED_WORDS)(self._get)

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        if not self._path.is_file():
            raise ModelUnavailableError(f"{self._path}: no such file", "edged model install")
        # immutable: no locks and no journal, also on a read-only file system
        return sqlite3.connect(
            f"{self._path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
        )

    def _get(self, word: str) -> Readings:
        """Readings of `word` exactly as written, {} when unknown. Callers must not change the result."""
        try:
            return dict(
                self._connection.execute("SELECT pos, phonemes FROM readings WHERE word = ?", (word,))
            )
        except sqlite3.DatabaseError as error:
            raise ModelUnavailableError(f"{self._path}: {error}", "edged model install") from error


class SpellingNet:
    """Guesses the phonemes of a word from its letters; compiled at the first word."""

    def __init__(self, model_dir: Path) -> None:
        self._model_dir = model_dir

    @cached_property
    def _model(self) -> Any:
        # one thread: a word takes a millisecond
        return compile_model(read_model(self._model_dir / OOV_MODEL_FILE), CpuSettings(threads=1))

    @cached_property
    def _alphabet(self) -> tuple[dict[str, int], dict[int, str], int]:
        """Letter ids, phonemes by id (both from 1; 0 is padding or blank), longest word."""
        meta = json.loads((self._model_dir / OOV_ALPHABET_FILE).read_text(encoding="utf-8"))
        letters = {letter: i for i, letter in enumerate(meta["in"], 1)}
        return letters, dict(enumerate(meta["out"], 1)), meta["maxlen"]

    def guess(self, word: str) -> str:
        """Phonemes of `word`, "" when it has no letter the network knows."""
        model = self._model
        letters, phonemes, max_letters = self._alphabet
        ids = [letters[c] for c in word if c in letters][:max_letters]
        if not ids:
            return ""
        (output,) = model([np.array([ids], np.int64)]).values()
        path = [0, *output[0].tolist()]
        # CTC: repeats collapse, blanks vanish
        return "".join(phonemes[i] for previous, i in pairwise(path) if i not in (0, previous))
