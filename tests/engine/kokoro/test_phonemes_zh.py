"""Mandarin: readings, tone sandhi, and the transcription Kokoro was trained on."""

from __future__ import annotations

import pytest

from edged.engine.kokoro.phonemes import ALPHABET
from edged.engine.kokoro.phonemes_zh import apply_sandhi, phonemes, syllables, to_ipa
from edged.text.pinyin import words
from edged.text.polyphones import PHRASES
from edged.text.sentence import Sentence


def pinyin(han: str) -> str:
    """The spoken pinyin of `han`, syllables separated by spaces."""
    read = syllables(words(Sentence("zh", han, 0)))
    return " ".join(s.pinyin + s.tone for s in apply_sandhi(read))


@pytest.mark.parametrize(
    ("han", "spoken"),
    [
        ("一号", "yi1 hao4"),
        ("第一", "di4 yi1"),
        ("二十一", "er4 shi2 yi1"),
        ("一百一十", "yi4 bai3 yi1 shi2"),
        ("一楼", "yi1 lou2"),
        ("一万", "yi2 wan4"),
        ("一千", "yi4 qian1"),
        ("一位", "yi2 wei4"),
        ("等一等", "deng3 yi5 deng3"),
        ("周一周二", "zhou1 yi1 zhou1 er4"),
        ("星期一早上", "xing1 qi1 yi1 zao3 shang5"),
        ("每周一次", "mei3 zhou1 yi2 ci4"),
        ("十一十二", "shi2 yi1 shi2 er4"),
        ("统一安排", "tong3 yi1 an1 pai2"),
        ("不要", "bu2 yao4"),
        ("不能", "bu4 neng2"),
        ("好不好", "hao3 bu5 hao3"),
    ],
)
def test_yi_and_bu_take_the_tone_of_their_place(han: str, spoken: str) -> None:
    """一 and 不 change before a fourth tone, 一 before the others too, except where it counts off."""
    assert pinyin(han) == spoken


@pytest.mark.parametrize(
    ("han", "spoken"),
    [
        ("水果", "shui2 guo3"),
        ("展览馆", "zhan2 lan2 guan3"),
        ("我很好", "wo2 hen2 hao3"),
        ("可以走", "ke2 yi2 zou3"),
        ("请体验", "qing2 ti3 yan4"),
        ("我想买两把雨伞", "wo2 xiang3 mai2 liang3 ba2 yu2 san3"),
        ("九点", "jiu2 dian3"),
    ],
)
def test_a_third_tone_rises_before_another(han: str, spoken: str) -> None:
    """Third tones spoken in one breath all rise but the last."""
    assert pinyin(han) == spoken


@pytest.mark.parametrize(
    ("han", "spoken"),
    [
        ("零一五", "ling2 yi1 wu3"),
        ("五九五", "wu3 jiu3 wu3"),
        ("一一九", "yi1 yi1 jiu3"),
        ("一零一个", "yi1 ling2 yi1 ge4"),
    ],
)
def test_spelled_digits_keep_their_tones(han: str, spoken: str) -> None:
    """A number read digit by digit is not a word: no sandhi inside it."""
    assert pinyin(han) == spoken


@pytest.mark.parametrize(
    ("syllable", "ipa"),
    [
        ("zhuang4", "ꭧwa↘ŋ"),
        ("shi2", "ʂɨ↗"),
        ("zi5", "ʦɨ"),
        ("ju3", "ʨy↓"),
        ("lv4", "ly↘"),
        ("xiong1", "ɕjʊ→ŋ"),
        ("yuan2", "ɥɛ↗n"),
        ("er4", "ɚ↘"),
        ("bo1", "pwo→"),
        ("qiu2", "ʨʰjou↗"),
    ],
)
def test_a_syllable_is_transcribed_with_one_arrow_after_its_vowel(syllable: str, ipa: str) -> None:
    """Pinyin maps to the alphabet of the training data."""
    assert to_ipa(syllable[:-1], syllable[-1]) == ipa


@pytest.mark.parametrize("nonsense", ["", "b", "xyz", "zhx", "1"])
def test_what_is_not_pinyin_has_no_transcription(nonsense: str) -> None:
    """Garbage gives nothing instead of half a syllable."""
    assert to_ipa(nonsense, "1") == ""


def test_words_are_separated_by_spaces() -> None:
    """The voice was trained on words, not on an unbroken line."""
    assert phonemes(words(Sentence("zh", "三号会议室", 0))) == "sa→nxau↘ xwei↘i↘ʂɨ↘"


def test_a_character_without_a_reading_is_left_out() -> None:
    """Rare ideographs beyond the dictionary vanish, their neighbours stay."""
    assert phonemes(words(Sentence("zh", "三\U0002fa1d号", 0))) == "sa→n xau↘"


def test_every_added_reading_is_complete_and_transcribable() -> None:
    """Each added word has one reading per character, all within the alphabet."""
    for word, readings in PHRASES.items():
        assert len(word) == len(readings), word
        for reading in readings:
            ipa = to_ipa(reading[:-1], reading[-1])
            assert ipa, (word, reading)
            assert set(ipa) <= ALPHABET
