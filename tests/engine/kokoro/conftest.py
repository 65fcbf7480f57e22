"""A model folder with a small English dictionary and a spelling network that hums one sound per letter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edged.engine.kokoro.lexicon import LEXICON_FILE, OOV_ALPHABET_FILE, OOV_MODEL_FILE
from edged.engine.kokoro.lexicon_convert import write_dictionary
from edged.engine.runtime import op, ov

_ENTRIES: dict[str, object] = {
    "ticket": "tˈɪkət",
    "gate": "ɡˈAt",
    "open": "ˈOpᵊn",
    "is": "ɪz",
    "zero": "zˈɪɹO",
    "one": "wˈʌn",
    "five": "fˈIv",
    "minute": "mˈɪnət",
    "delay": "dəlˈA",
    "train": "tɹˈAn",
    "please": "plˈiz",
    "go": "ɡˌO",
    "in": "ɪn",
    "to": "tu",
    "am": "æm",
    "here": "hˈɪɹ",
    "elevator": "ˈɛləvˌATəɹ",
    "bus": "bˈʌs",
    "your": "jʊɹ",
    "doors": "dˈɔɹz",
    "will": "wɪl",
    "it": "ɪt",
    "Monday": "mˈʌndˌA",
    "button": "bˈʌʔn",
    "passenger": "pˈæsᵊnʤəɹ",
    "machine": "məʃˈin",
    "city": "sˈɪɾi",
    "print": "pɹˈɪnt",
    "stop": "stˈɑp",
    "update": "ˈʌpdˌAt",
    "press": "pɹˈɛs",
    "use": {"DEFAULT": "jˈuz", "NOUN": "jˈus"},
    "OK": "ˌOkˈA",
    "close": {"DEFAULT": "klˈOs", "NOUN": "klˈOz", "VERB": "klˈOz"},
    "record": {"DEFAULT": "ɹˈɛkəɹd", "VERB": "ɹəkˈɔɹd"},
    "read": {"DEFAULT": "ɹˈid", "VBD": "ɹˈɛd", "VBN": "ɹˈɛd"},
    "used": {"DEFAULT": "jˈuzd", "VBD": "jˈust"},
    "can": {"DEFAULT": "kæn", "None": "kˈæn"},
    "LED": {"DEFAULT": "lˈɛd", "NOUN": None},
}
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(scope="session")
def model_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder; its spelling network answers with the letter itself, so "zzap" becomes "zap"."""
    folder = tmp_path_factory.mktemp("model folder")
    write_dictionary(_ENTRIES, folder / LEXICON_FILE)
    chars = op.parameter([1, -1], ov.Type.i64, name="chars")
    ov.save_model(ov.Model([op.add(chars, op.constant(0, ov.Type.i64))], [chars]), folder / OOV_MODEL_FILE)
    phonemes = _LETTERS.replace("q", "ʀ")  # a sound some networks know and the voice does not
    alphabet = {"in": list(_LETTERS), "out": list(phonemes), "maxlen": 24}
    (folder / OOV_ALPHABET_FILE).write_text(json.dumps(alphabet), encoding="utf-8")
    return folder
