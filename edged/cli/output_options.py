"""Options of the verbs that play on an output themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, get_args

import click

from edged.config.schema import MAIN_OUTPUT, AudioConfig, Config, PresetName
from edged.errors import BadInputError

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

FULL_VOLUME = 100


def output_options(function: Decorated) -> Decorated:
    """--output, --preset and --volume."""
    output = click.option(
        "--output", help=f"Output of the configuration, by its name [default: {MAIN_OUTPUT}]."
    )
    preset = click.option(
        "--preset", type=click.Choice(get_args(PresetName)), help="Sound for a place [default: the output's]."
    )
    volume = click.option(
        "--volume",
        type=click.IntRange(0, FULL_VOLUME),
        default=FULL_VOLUME,
        show_default=True,
        help="0 to 100, as the ear takes it.",
    )
    return output(preset(volume(function)))


def with_output(
    config: Config, name: str | None = None, device: str | None = None, preset: str | None = None
) -> Config:
    """The configuration with this output as its only one, on another PCM or with another preset if given.

    Raises BadInputError for an output it does not have.
    """
    outputs, name = config.all_outputs, name or MAIN_OUTPUT
    if name not in outputs:
        raise BadInputError(f"no output {name!r}", f"one of: {', '.join(outputs)}")
    given = {key: value for key, value in (("device", device), ("preset", preset)) if value is not None}
    audio = AudioConfig(
        **{**outputs[name].model_dump(), "loudness_lufs": config.audio.loudness_lufs, **given}
    )
    return config.model_copy(update={"audio": audio, "outputs": {}})
