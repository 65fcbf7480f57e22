"""One piece of words -> sentences: the front end, or the speller."""

from __future__ import annotations

from dataclasses import replace

from edged.text.clean import clean
from edged.text.content import Words
from edged.text.front_end import ReadText, read, to_spoken
from edged.text.language import DEFAULT_LANG
from edged.text.lexicon import NO_LEXICON
from edged.text.sentence import Lang, SpokenText
from edged.text.spell import by_digit, spelled
from edged.text.style import DEFAULT, Style


def read_words(words: Words, style: Style = DEFAULT) -> SpokenText:
    """How `words` are read out, and what had to be skipped. Never raises."""
    if words.how == "plain":
        return to_spoken(words.text, words.lang, style)
    spoken, lang = _spelled(words)
    return SpokenText(
        to_spoken(spoken, lang, replace(style, lexicon=NO_LEXICON)).sentences, clean(words.text)[1]
    )


def explain(words: Words, style: Style = DEFAULT) -> ReadText:
    """As `read_words`, with the tokens: what was read how, and why."""
    if words.how == "plain":
        return read(words.text, words.lang, style)
    spoken, lang = _spelled(words)
    return ReadText(read(spoken, lang, replace(style, lexicon=NO_LEXICON)).sentences, clean(words.text)[1])


def _spelled(words: Words) -> tuple[str, Lang]:
    lang = DEFAULT_LANG if words.lang == "auto" else words.lang
    return (spelled if words.how == "spell" else by_digit)(words.text, lang), lang
