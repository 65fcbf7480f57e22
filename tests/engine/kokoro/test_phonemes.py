"""Whole sentences: Chinese, English and both, to one phoneme string."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edged.engine.kokoro.phonemes import ALPHABET, Phonemizer, split_phonemes
from edged.errors import ModelUnavailableError
from edged.text.front_end import to_spoken
from edged.text.sentence import Lang, Sentence

_PAUSES = ",.!?;:…—"


@pytest.fixture(scope="session")
def phonemizer(model_dir: Path) -> Phonemizer:
    return Phonemizer(model_dir)


def read(phonemizer: Phonemizer, text: str, lang: Lang = "zh") -> str:
    return phonemizer.phonemes(Sentence(lang, text, 0))


def test_letters_of_a_ticket_have_their_english_names_in_chinese(phonemizer: Phonemizer) -> None:
    """A single letter is read apart from what is before it, and together with the Han that follows."""
    assert read(phonemizer, "请A零一五号") == "ʨʰi↓ŋ ˈAli↗ŋ i→ u↓xau↘"
    assert read(phonemizer, "V I P好") == "vˌiˌIpˈi xau↓"
    assert read(phonemizer, "请到A，好") == "ʨʰi↓ŋ tau↘ ˈA, xau↓"


def test_an_english_phrase_keeps_its_forms_inside_chinese(phonemizer: Phonemizer) -> None:
    """Latin words are read in English wherever they stand."""
    assert read(phonemizer, "请等the train，谢谢。") == "ʨʰi↗ŋ tə↓ŋ ðə tɹˈAn, ɕje↘ɕje."


def test_han_inside_an_english_sentence_is_read_in_chinese(phonemizer: Phonemizer) -> None:
    """A place name in an English announcement is spoken, not skipped."""
    assert read(phonemizer, "The train to 上海 is here.", "en") == "ðə tɹˈAn tu ʂa↘ŋxai↓ ɪz hˈɪɹ."


def test_spaces_between_han_are_not_heard(phonemizer: Phonemizer) -> None:
    """Words and tones reach across them."""
    assert read(phonemizer, "到 支 行，你 好") == read(phonemizer, "到支行，你好")


def test_chinese_punctuation_becomes_the_pauses_the_voice_knows(phonemizer: Phonemizer) -> None:
    """Full-width marks map to the half-width ones, each followed by a space."""
    assert read(phonemizer, "好，好、好；好：好！好？好。") == "xau↓, xau↓, xau↓; xau↓: xau↓! xau↓? xau↓."


def test_a_pause_is_marked_once_and_never_at_the_start(phonemizer: Phonemizer) -> None:
    """Piled-up marks would be read as one long silence."""
    assert read(phonemizer, "，。好！！？，好。") == "xau↓! xau↓."


@pytest.mark.parametrize("text", ["", " ", "，。！", "😀", "مرحبا", "\u200b\ufffd", "\x00"])
def test_nothing_speakable_is_an_empty_string(phonemizer: Phonemizer, text: str) -> None:
    """The caller decides what to do about silence."""
    assert read(phonemizer, text) == ""


def test_unknown_characters_do_not_stop_their_neighbours(phonemizer: Phonemizer) -> None:
    """An emoji between words is skipped."""
    assert read(phonemizer, "好😀gate ©") == "xau↓ ɡˈAt"


def test_a_sound_outside_the_alphabet_is_dropped(phonemizer: Phonemizer) -> None:
    """The spelling network may answer with sounds the voice was not trained on."""
    assert read(phonemizer, "qab", "en") == "ab"


@settings(deadline=None)  # the first text loads the dictionary
@given(text=st.text(max_size=80))
def test_any_text_gives_phonemes_of_the_alphabet_only(phonemizer: Phonemizer, text: str) -> None:
    """No text raises, and nothing outside the alphabet reaches the model."""
    assert set(read(phonemizer, text)) <= ALPHABET


def test_chinese_needs_no_model_folder(tmp_path: Path) -> None:
    """The dictionary is opened for English only; letters are known without it."""
    assert read(Phonemizer(tmp_path), "请A一号") == "ʨʰi↓ŋ ˈAi→xau↘"


def test_a_missing_dictionary_is_named(tmp_path: Path) -> None:
    """English without a dictionary is a fault of the installation, with the way out."""
    with pytest.raises(ModelUnavailableError, match=r"lexicon_en\.sqlite") as failure:
        read(Phonemizer(tmp_path), "gate", "en")
    assert "edged model install" in failure.value.hint


def test_short_phonemes_stay_whole() -> None:
    """What fits is not cut."""
    assert split_phonemes("xau↓, xau↓.", 11) == ["xau↓, xau↓."]


def test_a_cut_falls_at_the_last_sentence_end_that_fits() -> None:
    """Sentences before clauses, clauses before words."""
    assert split_phonemes("aa. bb, cc. dd, ee ff", 16) == ["aa. bb, cc.", "dd, ee ff"]
    assert split_phonemes("aa bb, cc dd, ee", 10) == ["aa bb,", "cc dd, ee"]
    assert split_phonemes("aa bb cc", 6) == ["aa bb", "cc"]
    assert split_phonemes("abcdefgh", 3) == ["abc", "def", "gh"]


@given(
    text=st.text(alphabet="ab ,.", max_size=60),
    limit=st.integers(min_value=1, max_value=20),
)
def test_pieces_fit_and_lose_nothing_but_spaces(text: str, limit: int) -> None:
    """Every piece is short enough and all phonemes are spoken, in order."""
    pieces = split_phonemes(text, limit)
    assert all(0 < len(piece) <= limit for piece in pieces)
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "")


def test_a_chosen_reading_is_spoken() -> None:
    """Markup or a lexicon decides how its characters sound; the others are read as ever."""
    phonemizer = Phonemizer(Path("no model: no English here"))
    (as_ever,) = to_spoken("请到重庆").sentences
    (chosen,) = to_spoken('请到<phoneme ph="zhong4 qing4">重庆</phoneme>').sentences
    assert chosen.spoken == as_ever.spoken
    assert phonemizer.phonemes(as_ever).count("ꭧʰ") == 1
    assert "ꭧʊ↘ŋ" in phonemizer.phonemes(chosen)
