"""Mandarin: readings, tone sandhi, and the transcription Kokoro was trained on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edged.engine.kokoro.phonemes import ALPHABET
from edged.engine.kokoro.phonemes_zh import apply_sandhi, phonemes, read, to_ipa
from edged.engine.kokoro.polyphones_zh import PHRASES


def pinyin(han: str) -> str:
    """The spoken pinyin of `han`, syllables separated by spaces."""
    return " ".join(s.pinyin + s.tone for s in apply_sandhi(read(han)))


@pytest.mark.parametrize(
    ("han", "spoken"),
    [
        ("重庆银行行长慢慢地走", "chong2 qing4 yin2 hang2 hang2 zhang3 man4 man4 de5 zou3"),
        ("还有三位", "hai2 you3 san1 wei4"),
        ("归还雨伞", "gui1 huan2 yu2 san3"),
        ("三号窗口", "san1 hao4 chuang1 kou3"),
        ("发卡行", "fa1 ka3 hang2"),
        ("绳子很长", "sheng2 zi5 hen3 chang2"),
        ("重新输入", "chong2 xin1 shu1 ru4"),
        ("余额为三十元", "yu2 e2 wei2 san1 shi2 yuan2"),
        ("为您服务", "wei4 nin2 fu2 wu4"),
        ("还得等", "hai2 dei2 deng3"),
        ("跑得快", "pao3 de5 kuai4"),
        ("两只箱子", "liang3 zhi1 xiang1 zi5"),
        ("只能", "zhi3 neng2"),
        ("会计处", "kuai4 ji4 chu4"),
    ],
)
def test_characters_with_several_readings_are_read_in_context(han: str, spoken: str) -> None:
    """A polyphone takes the reading of its word or of its neighbours."""
    assert pinyin(han) == spoken


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
    ("han", "spoken"),
    [("一会儿", "yi2 hui4 er5"), ("这儿", "zhe4 er5"), ("女儿", "nv3 er2"), ("儿童", "er2 tong2")],
)
def test_the_suffix_er_is_unstressed_and_the_child_is_not(han: str, spoken: str) -> None:
    """儿 is neutral as a suffix only."""
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
    assert phonemes("三号会议室") == "sa→nxau↘ xwei↘i↘ʂɨ↘"


def test_a_character_without_a_reading_is_left_out() -> None:
    """Rare ideographs beyond the dictionary vanish, their neighbours stay."""
    assert phonemes("三\U0002fa1d号") == "sa→n xau↘"


def test_every_added_reading_is_complete_and_transcribable() -> None:
    """Each added word has one reading per character, all within the alphabet."""
    for word, readings in PHRASES.items():
        assert len(word) == len(readings), word
        for reading in readings:
            ipa = to_ipa(reading[:-1], reading[-1])
            assert ipa, (word, reading)
            assert set(ipa) <= ALPHABET


_GOLDEN = Path(__file__).parents[2] / "golden" / "pinyin" / "polyphones.jsonl"


@pytest.mark.parametrize("line", _GOLDEN.read_text(encoding="utf-8").splitlines())
def test_what_announcements_say_is_read_as_written_down(line: str) -> None:
    """Banks, stations, car parks and lifts, and the characters in them that have several readings."""
    case = json.loads(line)
    assert " ".join(s.pinyin + s.tone for s in read(case["text"])) == case["pinyin"]
