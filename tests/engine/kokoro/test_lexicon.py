"""The English dictionary on disk, and its conversion from the published files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from edged.engine.kokoro.lexicon import LEXICON_FILE, OOV_ALPHABET_FILE, Lexicon, SpellingNet
from edged.engine.kokoro.lexicon_convert import build_lexicon, write_dictionary
from edged.errors import ModelUnavailableError


def test_readings_come_by_part_of_speech(tmp_path: Path) -> None:
    """A plain entry has the common reading only; null readings are left out."""
    entries = {"bus": "bˈʌs", "use": {"DEFAULT": "jˈuz", "NOUN": "jˈus", "VBD": None, "None": "juz"}}
    write_dictionary(entries, tmp_path / LEXICON_FILE)
    lexicon = Lexicon(tmp_path)
    assert lexicon.get("bus") == {"": "bˈʌs"}
    assert lexicon.get("use") == {"": "jˈuz", "NOUN": "jˈus", "PAUSE": "juz"}


def test_an_unknown_word_has_no_readings(model_dir: Path) -> None:
    """Look-ups are exact: case matters here, not to the caller."""
    lexicon = Lexicon(model_dir)
    assert lexicon.get("qwertz") == {}
    assert lexicon.get("Gate") == {}


def test_a_damaged_dictionary_is_a_model_fault(tmp_path: Path) -> None:
    """A truncated file is reported with its name, not as a database error."""
    (tmp_path / LEXICON_FILE).write_bytes(b"SQLite format 3\x00 cut off")
    with pytest.raises(ModelUnavailableError, match=r"lexicon_en\.sqlite"):
        Lexicon(tmp_path).get("bus")


def test_the_spelling_network_knows_its_letters_only(model_dir: Path) -> None:
    """Signs outside its alphabet are dropped; a word of nothing else is empty."""
    net = SpellingNet(model_dir)
    assert net.guess("a§b") == "ab"
    assert net.guess("§") == ""


def test_the_longest_word_is_cut_to_what_the_network_takes(model_dir: Path) -> None:
    """A string of 1000 letters costs as much as one of 24."""
    assert SpellingNet(model_dir).guess("ab" * 500) == "ab" * 12


def test_a_missing_spelling_network_is_named(tmp_path: Path) -> None:
    """The folder is incomplete; the error says which file."""
    with pytest.raises(ModelUnavailableError, match=r"oov_en"):
        SpellingNet(tmp_path).guess("word")


def test_the_checked_dictionary_wins_over_the_machine_made_one(tmp_path: Path) -> None:
    """Words of both come from gold, the rest from silver, and the network is converted beside them."""
    assets, out = tmp_path / "assets", tmp_path / "model folder"
    _write_assets(assets, gold={"gate": "ɡˈAt"}, silver={"gate": "wrong", "kiosk": "kˈiˌɑsk"})
    out.mkdir()
    build_lexicon(assets, out)
    assert Lexicon(out).get("gate") == {"": "ɡˈAt"}
    assert Lexicon(out).get("kiosk") == {"": "kˈiˌɑsk"}
    assert SpellingNet(out).guess("ba") == "ba"
    assert json.loads((out / OOV_ALPHABET_FILE).read_text(encoding="utf-8"))["maxlen"] == 8


def test_missing_assets_are_reported(tmp_path: Path) -> None:
    """A half-unpacked wheel does not leave a half dictionary behind."""
    with pytest.raises(ModelUnavailableError, match="cannot convert the English dictionary"):
        build_lexicon(tmp_path, tmp_path)
    assert not (tmp_path / LEXICON_FILE).exists()


def _write_assets(folder: Path, gold: dict[str, str], silver: dict[str, str]) -> None:
    folder.mkdir()
    for name, entries in (("gold", gold), ("silver", silver)):
        with gzip.open(folder / f"lexicon_us_{name}.json.gz", "wt", encoding="utf-8") as file:
            json.dump(entries, file)
    (folder / "oov.json").write_text('{"in": ["a", "b"], "out": ["a", "b"], "maxlen": 8}', encoding="utf-8")
    _write_identity_onnx(folder / "oov.onnx")


def _write_identity_onnx(path: Path) -> None:
    """ids = chars, as ONNX: the format the network is published in."""
    onnx = pytest.importorskip("onnx", reason="conversion needs the convert extra")
    shape = [1, None]
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Identity", ["chars"], ["ids"])],
        "oov",
        [onnx.helper.make_tensor_value_info("chars", onnx.TensorProto.INT64, shape)],
        [onnx.helper.make_tensor_value_info("ids", onnx.TensorProto.INT64, shape)],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)
