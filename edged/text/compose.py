"""What a request says -> the pieces it is heard as."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edged.protocol.request import Request, Segment
from edged.text.clean import clean
from edged.text.content import Clip, Piece, Reading, Silence, Words
from edged.text.language import sentence_langs
from edged.text.segment import split_sentences
from edged.text.templates import Templates


def compose(request: Request, templates: Templates) -> tuple[Piece, ...]:
    """The pieces of `request`, in the order they are heard; a part of an incremental text is one Words.

    Raises TemplateError for an unknown template and for vars that are missing or wrong.
    """
    if request.template is not None:
        return templates.expand(request.template, request.vars or {}, request.lang)
    if request.segments is not None:
        return tuple(_pieces(request.segments, request.lang))
    return (Words(request.text or "", request.lang),)


def _pieces(segments: Sequence[Segment], lang: Reading) -> Iterator[Piece]:
    for segment, nearby in zip(segments, _langs(segments, lang), strict=True):
        if segment.text is not None:
            yield Words(segment.text, lang)
        elif segment.spell is not None:
            yield Words(segment.spell, nearby, "spell")
        elif segment.digits is not None:
            yield Words(segment.digits, nearby, "digits")
        elif segment.clip is not None:
            yield Clip(segment.clip)
        elif segment.pause_ms is not None:
            yield Silence(segment.pause_ms)


def _langs(segments: Sequence[Segment], lang: Reading) -> list[Reading]:
    """The language each segment is spelled in: that of the text before it, else of the text after it."""
    if lang != "auto":
        return [lang] * len(segments)
    bodies = [[body for body, _ in split_sentences(clean(segment.text or "")[0])] for segment in segments]
    found = iter(sentence_langs([body for sentences in bodies for body in sentences]))
    return [[next(found) for _ in sentences][-1] for sentences in bodies]
