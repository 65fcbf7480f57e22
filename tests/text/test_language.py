"""Which language a sentence is taken for, and where it changes inside one."""

from __future__ import annotations

import pytest

from edged.text.language import sentence_lang, sentence_langs, spans
from edged.text.sentence import Lang


@pytest.mark.parametrize(
    ("body", "lang"),
    [
        ("请A015号到3号窗口", "zh"),
        ("Gate 12 is open", "en"),
        ("请打开WiFi", "zh"),
        ("用 Microsoft Office Word 打开", "zh"),
        ("The station 北京南站 is next", "en"),
        ("请访问www.example.com", "zh"),
        ("$5", "en"),
        ("21st", "en"),
        ("readme.txt", "en"),
        ("A015", None),
        ("10", None),
        ("5kg", None),
    ],
)
def test_words_and_han_decide(body: str, lang: Lang | None) -> None:
    """Han against English words, grammar words weighing more; codes and numbers say nothing."""
    assert sentence_lang(body) == lang


def test_a_sentence_without_a_clue_follows_its_neighbours() -> None:
    """The sentence before decides, at the start the next that is known, else Chinese."""
    assert sentence_langs(["1", "Hello", "2", "你好", "3"]) == ["en", "en", "en", "zh", "zh"]
    assert sentence_langs(["1"]) == ["zh"]


@pytest.mark.parametrize(
    ("body", "lang", "foreign"),
    [
        ("请注意，Gate 12 is open，谢谢", "zh", ["，Gate 12 is open，"]),
        ("请到Gate 12登机", "zh", []),
        ("Take line 3号线 to gate 5", "en", ["3号线"]),
        ("Go to A015号 now", "en", ["A015号"]),
    ],
)
def test_a_clause_of_the_other_language_is_read_in_its_own(body: str, lang: Lang, foreign: list[str]) -> None:
    """An English clause in Chinese, a number tied to Han in English; a mere name is not enough."""
    stretches = list(spans(body, lang))
    assert [body[start:end] for start, end, found in stretches if found != lang] == foreign
    assert "".join(body[start:end] for start, end, _ in stretches) == body
