"""`edged text`: show how a text or a template will be read out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import click

from edged.cli.options import config_option, read_text
from edged.config.loader import load_config
from edged.errors import EmptyTextError
from edged.io.lexicon import load_lexicon
from edged.io.templates import load_templates
from edged.text.content import Clip, Piece, Reading, Silence, Words
from edged.text.front_end import ReadSentence
from edged.text.reading import explain
from edged.text.style import Style
from edged.workers.house_style import style_of


def _read_vars(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:  # noqa: ARG001
    if bad := [pair for pair in given if "=" not in pair]:
        raise click.BadParameter(f"expected NAME=VALUE, got {bad[0]!r}")
    return dict(pair.split("=", 1) for pair in given)


@click.command(
    context_settings={"ignore_unknown_options": True},  # "-5℃" is a text, not an option
    epilog="""\b
Examples:
  edged text "请A015号到3号窗口"
  edged text --lang en "Room 305, 9:30"
  edged text --template ticket_call --var ticket=A015 --var counter=3
  edged text --lexicon words.yaml "请到重庆路"
  edged text --why "请A015号到3号窗口"
  edged text --json - < prompts.txt
""",
)
@click.argument("text", required=False)
@click.option(
    "--template", help="Show this announcement template instead of TEXT; `edged templates` lists them."
)
@click.option(
    "--var", "values", multiple=True, callback=_read_vars, metavar="NAME=VALUE", help="A var of the template."
)
@click.option(
    "--lang",
    type=click.Choice(["zh", "en", "auto"]),
    default="auto",
    show_default=True,
    help="Read all of it in this language; auto decides sentence by sentence.",
)
@click.option(
    "--lexicon",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Try the words of this file instead of paths.lexicon.",
)
@config_option
@click.option(
    "--why", "with_why", is_flag=True, help="Below each sentence, how each part of it is read, and why."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of lines.")
def command(
    text: str | None,
    template: str | None,
    values: dict[str, str],
    lang: str,
    lexicon: Path | None,
    config_path: Path | None,
    with_why: bool,
    as_json: bool,
) -> None:
    """Print the spoken form of TEXT, one sentence a line; "-" reads standard input.

    Nothing is synthesised. What cannot be spoken is skipped and named on standard error.
    """
    if (text is None) == (template is None) or (values and template is None):
        raise click.UsageError("expected TEXT, or --template with its --var")
    config = load_config(config_path)
    words, warnings = load_lexicon(lexicon or config.paths.lexicon)
    style = style_of(config, words)
    if template is None:
        pieces: tuple[Piece, ...] = (Words(read_text(text or ""), cast(Reading, lang)),)
    else:
        templates = load_templates(config.paths.templates_dir).templates
        warnings += tuple(f"unknown_field: vars.{name}" for name in templates.unknown_vars(template, values))
        pieces = templates.expand(template, values, cast(Reading, lang))
    _show(pieces, style, list(warnings), with_why, as_json)


def _show(
    pieces: tuple[Piece, ...], style: Style, warnings: list[str], with_why: bool, as_json: bool
) -> None:
    lines: list[str] = []
    sentences: list[dict[str, Any]] = []
    for piece in pieces:
        match piece:
            case Words():
                read = explain(piece, style)
                sentences += _as_json(read.sentences) if as_json else ()
                for found in read.sentences:
                    lines += [found.sentence.spoken, *(_reasons(found) if with_why else ())]
                warnings += read.warnings
            case Silence(ms=ms):
                lines.append(f"{{pause {ms}}}")
            case Clip(name=name):
                lines.append(f"{{clip {name}}}")
    if not lines:
        reasons = "; ".join(("nothing speakable in the text", *warnings))
        raise EmptyTextError(reasons, 'give some words or numbers, such as: edged text "A015"')
    if as_json:
        click.echo(json.dumps({"sentences": sentences, "warnings": warnings}, ensure_ascii=False))
        return
    for line in lines:
        click.echo(line)
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)


# Why something is read as it is needs the dictionary of pinyin, which takes longer to load than the rest.


def _reasons(found: ReadSentence) -> list[str]:
    """A line for each token that is not simply said as it is written, and for each choice of pinyin."""
    from edged.text.pinyin import was_a_choice, words
    from edged.text.why import why

    tokens = [
        token for token in found.tokens if (token.spoken != token.text or token.pinyin) and token.text.strip()
    ]
    chosen = [word for word in words(found.sentence) if was_a_choice(word)]
    return [
        *(f"    {token.text} -> {token.spoken.strip() or '(silent)'}   {why(token)}" for token in tokens),
        *(f"    {word.han} -> {' '.join(word.readings)}   {word.by}" for word in chosen),
    ]


def _as_json(sentences: Sequence[ReadSentence]) -> list[dict[str, Any]]:
    from edged.text.why import explained

    return [
        {
            "lang": found.sentence.lang,
            "spoken": found.sentence.spoken,
            "pause_ms": found.sentence.pause_ms,
            "tokens": [
                {
                    "text": item.token.text,
                    "spoken": item.token.spoken.strip(),
                    "kind": item.token.kind,
                    "pinyin": item.pinyin,
                    "why": item.why,
                }
                for item in tokens
            ],
        }
        for found, tokens in zip(sentences, explained(sentences), strict=True)
    ]
