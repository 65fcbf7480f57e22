"""American English: words to phonemes, with the weak forms and the stress Kokoro was trained on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from edged.engine.kokoro.lexicon import Lexicon, Readings, SpellingNet
from edged.engine.kokoro.part_of_speech import guess_tags, word_set

VOWELS = frozenset("AIOQWYaiuæɑɒɔəɐɛɜɪʊʌᵻ")
_STRESS_MARKS = "ˈˌ"
# Sounds after which a t between vowels becomes a tap: waiting, updated.
_BEFORE_TAP = frozenset("AIOWYiuæɑəɛɪɹʊʌ")

LETTER_NAMES = {
    "A": "ˈA",
    "B": "bˈi",
    "C": "sˈi",
    "D": "dˈi",
    "E": "ˈi",
    "F": "ˈɛf",
    "G": "ʤˈi",
    "H": "ˈAʧ",
    "I": "ˈI",
    "J": "ʤˈA",
    "K": "kˈA",
    "L": "ˈɛl",
    "M": "ˈɛm",
    "N": "ˈɛn",
    "O": "ˈO",
    "P": "pˈi",
    "Q": "kjˈu",
    "R": "ˈɑɹ",
    "S": "ˈɛs",
    "T": "tˈi",
    "U": "jˈu",
    "V": "vˈi",
    "W": "dˈʌbᵊlju",
    "X": "ˈɛks",
    "Y": "wˈI",
    "Z": "zˈi",
}
_NUMBER_WORDS = word_set(
    "zero oh one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety "
    "hundred thousand"
)
# "A five minute delay" has an article, "A five, please go to ..." a ticket letter.
_UNITS = word_set("second minute hour day night week month year dollar percent degree meter mile point star")
_BE = word_set("am is are was were be been being")


class English:
    """Reads English phrases with the dictionary and spelling network of a model folder."""

    def __init__(self, model_dir: Path) -> None:
        self._lexicon = Lexicon(model_dir)
        self._spelling_net = SpellingNet(model_dir)

    def phonemes(self, words: Sequence[str]) -> str:
        """Phonemes of one phrase, from one pause to the next; words separated by one space."""
        spoken: list[str] = []
        end = len(words)
        while end:  # backwards: a word's form depends on the sound after it
            start = end - 1
            if is_letter(words, start):
                while start and is_letter(words, start - 1):
                    start -= 1
                spoken.append(spell("".join(words[start:end])))
            else:
                spoken.append(self._word(words, start, spoken[-1] if spoken else ""))
            end = start
        return " ".join(filter(None, reversed(spoken)))

    def _word(self, words: Sequence[str], i: int, following: str) -> str:
        """Phonemes of word `i`, given those of the word after it ("" before a pause)."""
        word = words[i].replace("’", "'")
        weak = _weak_form(words, i, following)
        if weak:
            return weak
        tags = guess_tags(words, i) if following else ("PAUSE", *guess_tags(words, i))
        known = self._known(word, tags)
        if known:
            return _emphasise(known) if word[0].isupper() else known
        if "-" in word.strip("-"):
            return self.phonemes([part for part in word.split("-") if part])
        if word.isupper() and all(c in LETTER_NAMES for c in word):
            return spell(word)
        return self._spelling_net.guess(word)

    def _known(self, word: str, tags: Sequence[str]) -> str:
        """The dictionary's reading of `word`, or that of its stem with the ending; "" when it has none."""
        for form in dict.fromkeys((word, word.lower(), word.capitalize())):
            readings = self._lexicon.get(form)
            if readings:
                return _choose(readings, tags)
        word = word.lower()
        for ending, stems, attach in _ENDINGS:
            if word.endswith(ending):
                for stem in stems(word.removesuffix(ending)):
                    readings = self._lexicon.get(stem) or self._lexicon.get(stem.capitalize())
                    if readings:
                        return attach(_choose(readings, tags))
        return ""


def is_letter(words: Sequence[str], i: int) -> bool:
    """Whether `words[i]` is a letter to spell; a lone A or I may be the article or the pronoun instead."""
    word = words[i]
    if word not in LETTER_NAMES:
        return False
    neighbours = (*words[max(i - 1, 0) : i], *words[i + 1 : i + 2])
    if word not in "AI" or any(n in LETTER_NAMES for n in neighbours):
        return True
    following = list(words[i + 1 :])
    if not following:
        return True
    if following[0].lower() in _NUMBER_WORDS:
        counted = next((w for w in following if w.lower() not in _NUMBER_WORDS), "")
        return counted not in _UNITS
    return word == "A" and i > 0


def spell(letters: str) -> str:
    """Letters A to Z by name, as one word stressed on the last: CPU -> sˌipˌijˈu."""
    *names, last = (LETTER_NAMES[letter] for letter in letters)
    return "".join(name.replace("ˈ", "ˌ") for name in names) + last


def _weak_form(words: Sequence[str], i: int, following: str) -> str:
    """The reading of a function word that depends on what comes next; "" for any other word."""
    vowel = following.lstrip(_STRESS_MARKS)[:1] in VOWELS
    match words[i].lower():
        case "a" if following:
            return "ɐ"
        case "an":
            return "ɐn"
        case "the":
            return "ði" if following and vowel else "ðə"
        case "to":
            return ("tʊ" if vowel else "tə") if following else "tu"
        case "in":
            return "ɪn" if following else "ˈɪn"
        case "i":
            return "ˌI"
        case "am":
            return "ɐm" if following else "æm"
        case "used":
            to_follows = [w.lower() for w in words[i + 1 : i + 2]] == ["to"]
            after_be = i > 0 and words[i - 1].lower() in _BE
            return "jˈust" if to_follows and not after_be else "jˈuzd"
    return ""


def _choose(readings: Readings, tags: Sequence[str]) -> str:
    """The reading for the first tag that has one, else the common one."""
    return next((readings[tag] for tag in tags if tag in readings), "") or readings.get("", "")


def _emphasise(phonemes: str) -> str:
    """A capital gives an unstressed word secondary stress: Your -> jˌʊɹ."""
    if any(mark in phonemes for mark in _STRESS_MARKS):
        return phonemes
    vowel = next((i for i, c in enumerate(phonemes) if c in VOWELS), None)
    return phonemes if vowel is None else f"{phonemes[:vowel]}ˌ{phonemes[vowel:]}"


def _add_s(stem: str) -> str:
    if stem[-1] in "szʃʒʧʤ":
        return stem + "ᵻz"
    return stem + ("s" if stem[-1] in "ptkfθ" else "z")


def _add_ed(stem: str) -> str:
    if stem[-1] in "td":
        return _tapped(stem) + "ᵻd"
    return stem + ("t" if stem[-1] in "pkfθʃsʧ" else "d")


def _add_ing(stem: str) -> str:
    return _tapped(stem) + "ɪŋ"


def _tapped(stem: str) -> str:
    """A final t after a vowel turns into the tap T before another vowel."""
    return stem[:-1] + "T" if stem[-1] == "t" and stem[-2:-1] in _BEFORE_TAP else stem


def _stems(base: str) -> list[str]:
    """What "stopp", "us" or "print" may have been without -ed or -ing."""
    doubled = len(base) > 2 and base[-1] == base[-2]
    return [base, base + "e", *([base[:-1]] if doubled else [])]


_Stems = Callable[[str], list[str]]
_ENDINGS: tuple[tuple[str, _Stems, Callable[[str], str]], ...] = (
    ("'s", lambda base: [base], _add_s),
    ("s'", lambda base: [base], _add_s),
    ("'", lambda base: [base], str),
    ("ies", lambda base: [base + "y"], _add_s),
    ("es", lambda base: [base + "e", base], _add_s),
    ("s", lambda base: [base] if base[-1:] != "s" else [], _add_s),
    ("ied", lambda base: [base + "y"], _add_ed),
    ("ed", _stems, _add_ed),
    ("ing", _stems, _add_ing),
)
