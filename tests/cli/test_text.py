"""`edged text` as a user or a script meets it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from edged.cli.text import command
from edged.errors import EmptyTextError
from edged.text.templates import TemplateError


def test_one_sentence_a_line() -> None:
    """Without --json the spoken form is plain text, ready to read."""
    result = CliRunner().invoke(command, ["请A015号到3号窗口。Gate 12 is open"])
    assert result.exit_code == 0
    assert result.stdout == "请 A 零一五号到三号窗口。\nGate twelve is open\n"


def test_json_has_sentences_tokens_and_warnings() -> None:
    """The JSON form is a contract: these keys and no others."""
    result = CliRunner().invoke(command, ["--json", "到3号😀"])
    assert json.loads(result.stdout) == {
        "sentences": [
            {
                "lang": "zh",
                "spoken": "到三号",
                "pause_ms": 0,
                "tokens": [
                    {
                        "text": "到",
                        "spoken": "到",
                        "kind": "han",
                        "pinyin": ["dao4"],
                        "why": "as written",
                    },
                    {
                        "text": "3",
                        "spoken": "三",
                        "kind": "number",
                        "pinyin": ["san1"],
                        "why": "an amount; digit by digit when it is long or begins with 0",
                    },
                    {
                        "text": "号",
                        "spoken": "号",
                        "kind": "han",
                        "pinyin": ["hao4"],
                        "why": "as written",
                    },
                ],
            }
        ],
        "warnings": ["skipped_symbol: U+1F600"],
    }


def test_why_tells_how_each_part_is_read() -> None:
    """What is said as it is written needs no line."""
    result = CliRunner().invoke(command, ["--why", "请A015号"])
    assert result.stdout == (
        "请 A 零一五号\n    A015 -> A 零一五   a ticket, letter by letter and digit by digit\n"
    )


def test_why_tells_how_a_character_with_several_readings_is_read() -> None:
    """And whether a phrase, its neighbours, or nothing decided it; who chose a reading is told as a token."""
    text = '支行在<phoneme ph="xing2 zhang3">行长</phoneme>室，余额为零，请步行'
    assert CliRunner().invoke(command, ["--why", text]).stdout == (
        "支行在行长室，余额为零，请步行\n"
        "    行长 -> 行长   markup: xing2 zhang3\n"
        "    支行 -> zhi1 hang2   phrase dictionary\n"
        "    为 -> wei2   context\n"
        "    步行 -> bu4 xing2   phrase dictionary\n"
    )


def test_the_dictionary_of_pinyin_is_loaded_for_reasons_only() -> None:
    """A plain `edged text` would take twice as long."""
    program = (
        "import sys; from edged.cli.text import command; command(['行'], standalone_mode=False);"
        "sys.exit('pypinyin' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_warnings_stay_out_of_the_text() -> None:
    """What was skipped is told on standard error."""
    result = CliRunner().invoke(command, ["你好😀"])
    assert result.stdout == "你好\n"
    assert "skipped_symbol: U+1F600" in result.stderr


def test_lang_decides_how_digits_are_read() -> None:
    """--lang overrides what the text looks like."""
    assert CliRunner().invoke(command, ["--lang", "en", "10"]).stdout == "ten\n"
    assert CliRunner().invoke(command, ["--lang", "zh", "10"]).stdout == "十\n"


def test_a_text_may_begin_with_a_minus_sign() -> None:
    """A temperature is not mistaken for an option."""
    assert CliRunner().invoke(command, ["-5℃"]).stdout == "零下五摄氏度\n"


def test_a_dash_reads_standard_input_even_if_it_is_not_utf8() -> None:
    """Broken bytes are skipped with a warning; the rest is read."""
    result = CliRunner().invoke(command, ["-"], input="3号".encode() + b"\xff\n")
    assert result.stdout == "三号\n"
    assert "skipped_surrogate" in result.stderr


@pytest.mark.parametrize("text", ["", " \n", "!?", "😀"])
def test_nothing_speakable_is_an_error(text: str) -> None:
    """An empty result is refused, not printed as success."""
    result = CliRunner().invoke(command, [text])
    assert isinstance(result.exception, EmptyTextError)


def test_help_shows_examples() -> None:
    """--help is enough to use the verb."""
    help_text = CliRunner().invoke(command, ["--help"]).stdout
    assert "Examples:" in help_text
    assert 'edged text "请A015号到3号窗口"' in help_text


def test_a_template_is_shown_as_it_will_be_heard() -> None:
    """With its pauses; a var without a slot is a warning."""
    args = ["--template", "ticket_call", "--var", "ticket=A015", "--var", "counter=3", "--var", "hall=2"]
    result = CliRunner().invoke(command, args)
    assert result.exit_code == 0
    assert result.stdout == (
        "请 A 零一五号到三号窗口\n{pause 600}\nTicket A zero one five, please proceed to counter three\n"
    )
    assert result.stderr == "warning: unknown_field: vars.hall\n"


def test_json_of_a_template_has_its_sentences() -> None:
    """In the form of any text."""
    args = [
        "--template",
        "ticket_call",
        "--var",
        "ticket=1=2",
        "--var",
        "counter=VIP室",
        "--lang",
        "zh",
        "--json",
    ]
    told = json.loads(CliRunner().invoke(command, args).stdout)
    assert [sentence["spoken"] for sentence in told["sentences"]] == ["请一二号到 V I P 室"]
    assert told["warnings"] == []


def test_wrong_vars_are_bad_input() -> None:
    """The error names template and var."""
    error = CliRunner().invoke(command, ["--template", "ticket_call", "--var", "ticket=A1"]).exception
    assert isinstance(error, TemplateError)
    assert str(error) == "template ticket_call: vars.counter: missing"


@pytest.mark.parametrize(
    "args", [[], ["x", "--template", "ticket_call"], ["x", "--var", "a=b"], ["--template", "t", "--var", "a"]]
)
def test_it_is_either_a_text_or_a_template(args: list[str]) -> None:
    """Anything else is a usage error."""
    assert CliRunner().invoke(command, args).exit_code == 2
