"""Why a token is read as it is, for a technician who looks at it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from edged.text.alphabet import HAN_RUN
from edged.text.front_end import ReadSentence
from edged.text.pinyin import Word, was_a_choice, words
from edged.text.tokens import Token

# What each kind of rule does, in a few words; a rule that does something else says so itself.
_WHY: Mapping[str, str] = {
    "abbreviation": "an abbreviation, in full",
    "about": "a sign between numbers, by its name",
    "acronym": "capitals, letter by letter",
    "address": "an address, part by part",
    "card": "a card number, digit by digit",
    "code": "a code, digit by digit and letter by letter",
    "count": "an amount before a measure word: 2 is 两",
    "date": "a date",
    "dot": "a dot inside a code",
    "dotted": "numbers joined by dots",
    "division": "a division",
    "duration": "how long something takes",
    "fraction": "a fraction",
    "greek": "a Greek letter, by its name",
    "han": "as written",
    "hyphenated": "numbers joined by hyphens, digit by digit",
    "ipv4": "an IPv4 address, digit by digit",
    "ipv6": "an IPv6 address, sign by sign",
    "joint": "a hyphen inside a place, silent",
    "mac": "a MAC address, pair by pair",
    "minus": "a minus sign",
    "money": "an amount of money",
    "number": "an amount; digit by digit when it is long or begins with 0",
    "number_sign": "a number sign",
    "ordinal": "a rank",
    "page": "one of several",
    "pause": "punctuation: a pause",
    "per": "a slash between an amount and what it is counted by",
    "percent": "a percentage",
    "phone": "a telephone number, digit by digit; in Chinese 1 is 幺",
    "plate": "a licence plate, sign by sign",
    "phoneme": "pinyin of the markup",
    "pollutant": "particles of a size",
    "power": "a power",
    "pressure": "blood pressure",
    "protocol": "a protocol, letter by letter",
    "quantity": "an amount with its unit",
    "quote": "a quotation mark, silent",
    "range": "from one to another",
    "roman": "a Roman numeral",
    "room": "a room number, digit by digit",
    "route": "a line number, digit by digit",
    "say_as": "as the markup says",
    "score": "a score or a ratio",
    "separator": "between two tokens, silent",
    "sign": "a sign before a number",
    "space": "a space between numbers",
    "symbol": "a symbol, by its name",
    "temperature": "a temperature from one to another",
    "ticket": "a ticket, letter by letter and digit by digit",
    "time": "a time of day",
    "times": "a product",
    "unit": "a unit, by its name",
    "version": "a version",
    "word": "a word; capitals that are no word letter by letter",
    "year": "a year, digit by digit or by its halves",
}


def why(token: Token) -> str:
    """One short phrase."""
    return token.why or _WHY.get(token.kind, token.kind)


@dataclass(frozen=True, slots=True)
class Explained:
    """A token, the readings of the Han characters it is spoken with (as Word has them), and all reasons."""

    token: Token
    pinyin: tuple[str, ...]
    why: str


def explained(sentences: Sequence[ReadSentence]) -> Iterator[tuple[Explained, ...]]:
    """The tokens of each sentence of a whole text (a token may reach into the next sentence)."""
    heard = (
        (word, reading) for found in sentences for word in words(found.sentence) for reading in word.readings
    )
    for found in sentences:
        yield tuple(_explained(token, heard) for token in found.tokens)


def _explained(token: Token, heard: Iterator[tuple[Word, str]]) -> Explained:
    """Takes from `heard` as many characters as the token has: nothing after the scanner adds or moves one."""
    mine = list(islice(heard, sum(map(len, HAN_RUN.findall(token.spoken)))))
    choices = (word for word in dict.fromkeys(word for word, _ in mine) if was_a_choice(word))
    reasons = dict.fromkeys(f"{word.by}: {word.han} {' '.join(word.readings)}" for word in choices)
    return Explained(token, tuple(reading for _, reading in mine), "; ".join((why(token), *reasons)))
