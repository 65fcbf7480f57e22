"""What the pieces of an announcement are heard as."""

from __future__ import annotations

import pytest

from edged.errors import BadInputError, EmptyTextError
from edged.text.content import Clip, Piece, Silence, Words
from edged.text.sentence import Sentence
from edged.workers.script import Item, Script


def check_clip(name: str) -> None:
    """Every clip but one is good."""
    if name == "bad.wav":
        raise BadInputError("not a WAV file")


def read(*pieces: Piece) -> list[Item]:
    return list(Script(check_clip).read(pieces))


def heard(items: list[Item]) -> list[str | int]:
    """Sentences and clips by what they say, pauses by their milliseconds."""
    return [
        item.spoken if isinstance(item, Sentence) else item.ms if isinstance(item, Silence) else item.name
        for item in items
    ]


def test_pieces_are_heard_in_their_order() -> None:
    """A pause of the content is exactly that long, and nothing trails after the last sentence."""
    items = read(Words("你好。请进"), Silence(500), Clip("ding.wav"), Words("Hello. Bye."))
    assert heard(items) == ["你好。", 600, "请进", 500, "ding.wav", "Hello.", 600, "Bye."]
    assert {item.pause_ms for item in items if isinstance(item, Sentence)} == {0}


@pytest.mark.parametrize(
    ("pieces", "pause_ms"),
    [
        ([Words("您好"), Words("请进")], 600),
        ([Words("您好，"), Words("请进")], 300),
        ([Words("票号"), Words("A015", "zh", "digits")], 300),
        ([Words("A015", "zh", "digits"), Words("请进")], 300),
        ([Words("A", "zh", "spell"), Words("B", "zh", "spell")], 600),
        ([Words("请注意。"), Words("A015", "zh", "digits")], 600),
    ],
)
def test_the_pause_between_words_is_what_lies_between_them(pieces: list[Piece], pause_ms: int) -> None:
    """Texts are sentences; a code belongs to the one around it, unless that has ended."""
    assert [item.ms for item in read(*pieces) if isinstance(item, Silence)] == [pause_ms]


def test_codes_are_said_sign_by_sign() -> None:
    """In the language that the piece names."""
    assert heard(read(Words("A015", "en", "digits"))) == ["A zero one five"]
    assert heard(read(Words("A-1", "zh", "spell"))) != heard(read(Words("A-1", "en", "spell")))


def test_words_without_a_clue_follow_those_before() -> None:
    """As sentences of one text do."""
    assert heard(read(Words("Please wait."), Words("12"))) == ["Please wait.", 600, "twelve"]
    assert heard(read(Words("请等候。"), Words("12"))) == ["请等候。", 600, "十二"]


def test_what_is_skipped_is_named_once() -> None:
    """Symbols and clips; everything else is heard."""
    script = Script(check_clip)
    items = list(script.read([Words("☃好"), Clip("bad.wav"), Words("☃"), Clip("bad.wav"), Words("走")]))
    assert heard(items) == ["好", 600, "走"]
    assert script.warnings == ("skipped_symbol: U+2603", "clip_skipped: bad.wav: not a WAV file")


def test_a_request_that_is_wrong_everywhere_is_not_echoed() -> None:
    """A result stays a few lines."""
    script = Script(check_clip)
    list(script.read(Words(chr(0x2603 + number)) for number in range(1000)))
    assert len(script.warnings) == 21
    assert script.warnings[-1] == "more_skipped: only the first 20 are named"


@pytest.mark.parametrize(
    ("pieces", "error"),
    [
        ([], EmptyTextError),
        ([Silence(500)], EmptyTextError),
        ([Words("☃"), Silence(500)], EmptyTextError),
        ([Clip("bad.wav")], BadInputError),
    ],
    ids=["nothing", "pause", "symbol", "clip"],
)
def test_why_nothing_is_heard(pieces: list[Piece], error: type[BadInputError]) -> None:
    """Nothing to say is `empty`, only clips that cannot be played are a `bad_field`."""
    script = Script(check_clip)
    list(script.read(pieces))
    reason = script.nothing_heard()
    assert type(reason) is error
    assert all(warning in reason.what for warning in script.warnings)


def clauses(*parts: str) -> list[list[str | int]]:
    """What is heard after each part but the last, and after that."""
    script, growing, batches = Script(check_clip), Words(""), []
    for part in parts[:-1]:
        clause, growing = script.cut(Words(growing.text + part))
        batches.append(heard(list(script.read_clause(clause))))
    return [*batches, heard(list(script.read([Words(growing.text + parts[-1])])))]


def test_a_growing_text_is_heard_clause_by_clause() -> None:
    """The voice stays up at a comma, the pauses are those of the whole text."""
    assert clauses("请A01", "5号，到", "3号窗口。谢", "谢。") == [
        [],
        ["请 A 零一五号，"],
        [300, "到三号窗口。"],
        [600, "谢谢。"],
    ]


def test_a_beginning_of_any_language_waits_for_the_next_words() -> None:
    """A ticket before an English sentence is not read in Chinese."""
    assert clauses("A015, pl", "ease wait, th", "en go") == [
        [],
        ["A zero one five, please wait,"],
        [300, "then go"],
    ]


def test_a_growing_text_may_end_in_nothing() -> None:
    """What trails after the last word is no pause."""
    assert clauses("好。走", "☃") == [["好。"], [600, "走"]]
    assert clauses("好。☃", "") == [["好。"], []]
