"""`edged text`: show how a text will be read out."""

from __future__ import annotations

import json
from typing import cast

import click

from edged.cli.options import read_text
from edged.errors import EmptyTextError
from edged.text.front_end import Reading, to_spoken
from edged.text.sentence import SpokenText


@click.command(
    context_settings={"ignore_unknown_options": True},  # "-5℃" is a text, not an option
    epilog="""\b
Examples:
  edged text "请A015号到3号窗口"
  edged text --lang en "Room 305, 9:30"
  edged text --json - < prompts.txt
""",
)
@click.argument("text")
@click.option(
    "--lang",
    type=click.Choice(["zh", "en", "auto"]),
    default="auto",
    show_default=True,
    help="Read all of it in this language; auto decides sentence by sentence.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of lines.")
def command(text: str, lang: str, as_json: bool) -> None:
    """Print the spoken form of TEXT, one sentence a line; "-" reads standard input.

    Nothing is synthesised. What cannot be spoken is skipped and named on standard error.
    """
    spoken = to_spoken(read_text(text), cast(Reading, lang))
    if not spoken.sentences:
        raise EmptyTextError(_why_empty(spoken), 'give some words or numbers, such as: edged text "A015"')
    if as_json:
        click.echo(json.dumps(_as_json(spoken), ensure_ascii=False))
        return
    for sentence in spoken.sentences:
        click.echo(sentence.spoken)
    for warning in spoken.warnings:
        click.echo(f"warning: {warning}", err=True)


def _why_empty(spoken: SpokenText) -> str:
    return "; ".join(("nothing speakable in the text", *spoken.warnings))


def _as_json(spoken: SpokenText) -> dict[str, object]:
    return {
        "sentences": [{"lang": s.lang, "spoken": s.spoken} for s in spoken.sentences],
        "warnings": list(spoken.warnings),
    }
