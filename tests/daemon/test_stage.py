"""What the stage makes of a request."""

from __future__ import annotations

from dataclasses import fields

from edged.daemon.stage import speech_options
from edged.engine.base import SpeechOptions
from edged.protocol.request import Options, Request


def test_every_option_of_the_protocol_is_one_of_the_engines() -> None:
    """The names are the same; `instruct` is a field of the request itself."""
    assert {*Options.model_fields, "instruct"} == {field.name for field in fields(SpeechOptions)}


def test_what_a_request_asks_for_is_what_the_engine_gets() -> None:
    """Nothing is lost on the way; what was not asked for stays open."""
    request = Request(text="a", instruct="calm", options=Options(speaker="vivian", seed=7, temperature=0.5))
    expected = SpeechOptions(speaker="vivian", seed=7, temperature=0.5, instruct="calm")
    assert speech_options(request) == expected
    assert speech_options(Request(text="a")) == SpeechOptions()
