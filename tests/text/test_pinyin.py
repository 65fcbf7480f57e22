"""How Han characters are read, and what decided it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edged.text.alphabet import HAN_RUN
from edged.text.pinyin import Word, ordinary, was_a_choice, words
from edged.text.polyphones import PHRASES
from edged.text.sentence import Pinyin, Sentence

_GOLDEN = Path(__file__).parents[1] / "golden" / "pinyin" / "polyphones.jsonl"


def read(spoken: str, *chosen: Pinyin) -> list[Word]:
    return list(words(Sentence("zh", spoken, 0, chosen)))


def pinyin(spoken: str, *chosen: Pinyin) -> str:
    """The readings of `spoken`, separated by spaces."""
    return " ".join(reading for word in read(spoken, *chosen) for reading in word.readings)


@pytest.mark.parametrize("line", _GOLDEN.read_text(encoding="utf-8").splitlines())
def test_what_announcements_say_is_read_as_written_down(line: str) -> None:
    """Banks, stations, car parks and lifts, and the characters in them that have several readings."""
    case = json.loads(line)
    assert pinyin(case["text"]) == case["pinyin"]


@pytest.mark.parametrize(
    ("han", "expected"),
    [
        ("重庆银行行长慢慢地走", "chong2 qing4 yin2 hang2 hang2 zhang3 man4 man4 de5 zou3"),
        ("还有三位", "hai2 you3 san1 wei4"),
        ("归还雨伞", "gui1 huan2 yu3 san3"),
        ("三号窗口", "san1 hao4 chuang1 kou3"),
        ("发卡行", "fa1 ka3 hang2"),
        ("绳子很长", "sheng2 zi5 hen3 chang2"),
        ("重新输入", "chong2 xin1 shu1 ru4"),
        ("余额为三十元", "yu2 e2 wei2 san1 shi2 yuan2"),
        ("为您服务", "wei4 nin2 fu2 wu4"),
        ("还得等", "hai2 dei3 deng3"),
        ("跑得快", "pao3 de5 kuai4"),
        ("两只箱子", "liang3 zhi1 xiang1 zi5"),
        ("只能", "zhi3 neng2"),
        ("会计处", "kuai4 ji4 chu4"),
        ("一会儿", "yi1 hui4 er5"),
        ("这儿", "zhe4 er5"),
        ("女儿", "nv3 er2"),
        ("儿童", "er2 tong2"),
    ],
)
def test_characters_with_several_readings_are_read_in_context(han: str, expected: str) -> None:
    """A polyphone takes the reading of its word or of its neighbours, in the tone of dictionaries."""
    assert pinyin(han) == expected


@pytest.mark.parametrize(
    ("han", "word", "by"),
    [
        ("请到支行", Word("支行", 2, ("zhi1", "hang2"), "phrase dictionary"), "ours"),
        ("请步行", Word("步行", 1, ("bu4", "xing2"), "phrase dictionary"), "pypinyin's"),
        ("余额为三元", Word("为", 2, ("wei2",), "context"), "the numeral after it"),
        ("为您", Word("为", 0, ("wei4",), "ordinary reading"), "nothing around it"),
    ],
)
def test_each_word_tells_what_decided_it(han: str, word: Word, by: str) -> None:
    """The phrase dictionary, its neighbours, or neither."""
    assert word in read(han), by


def test_a_chosen_reading_goes_before_every_other() -> None:
    """It is told, and the characters beside it keep their own."""
    (word,) = read("支行", Pinyin(1, 2, ("xing2",)))
    assert word == Word("支行", 0, ("zhi1", "xing2"), "lexicon or markup")
    assert pinyin("三只为", Pinyin(1, 3, ("zhi3", "wei2"))) == "san1 zhi3 wei2"


def test_words_reach_across_spaces_and_not_across_anything_else() -> None:
    """Spaces are where tokens met; their place counts. A mark or a Latin word ends what is read together."""
    assert [(word.han, word.start) for word in read("到 支 行")] == [("到", 0), ("支行", 2)]
    assert [word.han for word in read("支，行 A 行")] == ["支", "行", "行"]
    assert pinyin("到 支 行", Pinyin(4, 5, ("xing2",))) == "dao4 zhi1 xing2"


def test_a_character_without_a_reading_has_an_empty_one() -> None:
    """Its neighbours keep theirs."""
    assert [word.readings for word in read("三\U0002fa1d号")] == [("san1",), ("",), ("hao4",)]


def test_every_added_phrase_has_a_reading_for_each_character() -> None:
    """And is found as one word, however long pypinyin's own words are."""
    for phrase, readings in PHRASES.items():
        assert read(phrase) == [Word(phrase, 0, readings, "phrase dictionary")]


def test_the_ordinary_reading_is_that_of_the_character_alone() -> None:
    """Of several, the one it has outside every known word."""
    assert [ordinary(char) for char in "行长得女A"] == ["xing2", "chang2", "de5", "nv3", ""]


@pytest.mark.parametrize(
    ("word", "is_choice"),
    [
        ("音乐", True),  # 乐 alone is le4
        ("步行", True),  # 行 is in other words hang2
        ("为", True),
        ("行", True),
        ("三号", False),
        ("校友", False),  # 友 is unstressed in 朋友, and that is all
        ("一百", False),  # the tone of 一 comes with its place
    ],
)
def test_a_choice_is_where_another_reading_could_be_expected(word: str, is_choice: bool) -> None:
    """Otherwise a technician would be told of every word."""
    assert any(was_a_choice(found) for found in read(word)) == is_choice


def test_what_somebody_chose_was_no_choice_of_the_dictionary() -> None:
    """Lexicon and markup tell it themselves."""
    assert not any(was_a_choice(found) for found in read("行", Pinyin(0, 1, ("hang2",))))


@settings(deadline=None)  # the first text loads the dictionary
@given(st.text(max_size=60) | st.text("行长重为得只儿支一二A， ", max_size=60))
def test_every_han_character_belongs_to_one_word(spoken: str) -> None:
    """No text raises, none is lost, and each word tells where it begins."""
    found = read(spoken)
    assert "".join(word.han for word in found) == "".join(HAN_RUN.findall(spoken))
    assert all(len(word.han) == len(word.readings) for word in found)
    assert all(spoken[word.start] == word.han[0] for word in found)


def test_reading_a_text_loads_no_dictionary() -> None:
    """The main process and the front end know nothing of pinyin: it would be 60 MB of their memory."""
    program = "import sys, edged.daemon.app, edged.text.reading; sys.exit('pypinyin' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
