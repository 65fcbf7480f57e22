"""A spoken sentence to the phonemes Kokoro reads, Chinese and English mixed as they come."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from edged.engine.kokoro import phonemes_zh
from edged.engine.kokoro.phonemes_en import LETTER_NAMES, English
from edged.text.alphabet import HAN
from edged.text.pinyin import Word, words
from edged.text.sentence import Sentence

# Kokoro's alphabet; its token ids are the model's business.
ALPHABET = frozenset(
    ' ;:,.!?—…"()“”ʣʥʦʨᵝꭧAIOQSTWYᵊabcdefhijklmnopqrstuvwxyzɑɐɒæβɔɕçɖðʤəɚɛɜɟɡɥɨɪʝɯɰŋɳɲɴøɸθœɹɾɻʁɽʂʃʈʧʊʋʌɣɤχʎʒʔ'
    "ˈˌːʰʲ↓→↗↘ᵻ\u0303"
)
_PUNCTUATION = {
    **{mark: mark for mark in ",.!?;:…—"},
    **dict(zip("，、。！？；：", ",,.!?;:", strict=True)),
}
_TOKEN = re.compile(
    rf"(?P<han>[{HAN}]+)"
    r"|(?P<latin>[A-Za-zÀ-ÖØ-öø-ɏ]+(?:['’-][A-Za-zÀ-ÖØ-öø-ɏ]+)*['’]?)"
    rf"|(?P<mark>[{''.join(_PUNCTUATION)}])"
)


class Phonemizer:
    """Reads sentences with the dictionary of a model folder; each language is loaded when first spoken."""

    def __init__(self, model_dir: Path) -> None:
        self._model_dir = model_dir

    @cached_property
    def _english(self) -> English:
        return English(self._model_dir)

    def phonemes(self, sentence: Sentence) -> str:
        """Phonemes with , . ! ? ; : … — at the pauses, all in ALPHABET; "" when nothing is speakable.

        Takes any text: what is neither Han, Latin nor punctuation is skipped. Raises ModelUnavailableError
        when English is spoken and the dictionary is missing.
        """
        phonemes = ""
        han = {word.start: word for word in words(sentence)}
        for kind, tokens in _phrases(sentence.spoken):
            texts = [token[0] for token in tokens]
            if kind == "mark":
                spoken = phonemes.rstrip()
                # a pause needs something before it, and one mark per pause is enough
                if spoken and spoken[-1] not in _PUNCTUATION:
                    phonemes = f"{spoken}{_PUNCTUATION[texts[0]]} "
                continue
            read = _han(tokens, han) if kind == "han" else self._english.phonemes(texts)
            # a letter leans on the Han after it (A零一五): apart from it, it is misheard more often
            space = "" if _ends_in_ticket_letter(texts) else " "
            phonemes += f"{read}{space}" if read else ""
        return "".join(c for c in phonemes if c in ALPHABET).strip()


def _han(tokens: list[re.Match[str]], words_at: Mapping[int, Word]) -> str:
    """Phonemes of Han tokens, given the words of the sentence by the place where they begin."""
    places = range(tokens[0].start(), tokens[-1].end())
    return phonemes_zh.phonemes(words_at[place] for place in places if place in words_at)


def _ends_in_ticket_letter(words: list[str]) -> bool:
    """Whether the last word is a letter, and not the last of several (VIP)."""
    return words[-1] in LETTER_NAMES and not (len(words) > 1 and words[-2] in LETTER_NAMES)


def _phrases(text: str) -> Iterator[tuple[str, list[re.Match[str]]]]:
    """("han" | "latin" | "mark", tokens): neighbours of one script together, each mark alone."""
    kind, tokens = "", list[re.Match[str]]()
    for match in _TOKEN.finditer(text):
        found = match.lastgroup or ""
        if tokens and (found != kind or found == "mark"):
            yield kind, tokens
            tokens = []
        kind = found
        tokens.append(match)
    if tokens:
        yield kind, tokens


def split_phonemes(phonemes: str, limit: int) -> list[str]:
    """Cut into pieces of at most `limit` characters: at ends of sentences, else clauses, else words.

    >>> split_phonemes("nˈOT wˈʌn, nˈOT tˈu.", 12)
    ['nˈOT wˈʌn,', 'nˈOT tˈu.']
    """
    pieces: list[str] = []
    rest = phonemes.strip()
    while len(rest) > limit:
        window = rest[: limit + 1]
        cut = max((window.rfind(mark + " ") + 1 for mark in ".!?…"), default=0)
        cut = cut or max(window.rfind(mark + " ") + 1 for mark in ",;:—") or window.rfind(" ")
        cut = cut if cut > 0 else limit
        pieces.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return [*pieces, rest] if rest else pieces
