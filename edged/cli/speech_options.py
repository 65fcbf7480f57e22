"""The options of a generative engine on the command line, with the ranges of the protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from pydantic import ValidationError

from edged.engine.base import SpeechOptions
from edged.errors import BadInputError
from edged.protocol.request import Request, explain

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--speaker", help="Speaker of the model; the same as --voice."),
    click.option("--language", help="Language as the model calls it, e.g. chinese [default: --lang's]."),
    click.option("--dialect", help="Dialect as the model calls it, e.g. sichuan_dialect."),
    click.option("--instruct", help='How to say it, in words, e.g. "calm and slow".'),
    click.option("--seed", type=int, help="Say it the same way every time."),
    click.option("--temperature", type=float, help="Liveliness, 0 to 2; 0: always the likeliest."),
    click.option("--top-k", type=int, help="Draw from the K likeliest codes; 0: from all."),
    click.option("--top-p", type=float, help="Draw from the likeliest codes that make up this share."),
    click.option("--repetition-penalty", type=float, help="Above 1: less repetition."),
    click.option("--max-seconds", type=float, help="Longest a sentence may become."),
)


def speech_options(function: Decorated) -> Decorated:
    """--speaker, --seed and so on; they arrive as keyword arguments for `read_speech_options`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def read_speech_options(given: dict[str, Any]) -> SpeechOptions:
    """The options given. Raises BadInputError that names each bad one and what was expected."""
    options = {name: value for name, value in given.items() if name != "instruct"}
    try:
        Request.model_validate({"instruct": given["instruct"], "options": options})
    except ValidationError as error:
        raise BadInputError(explain(error), "edged say --help") from error
    return SpeechOptions(**given)
