"""Which word class an English word has here: enough to choose between the readings of "close" or "record"."""

from __future__ import annotations

from collections.abc import Sequence


def word_set(text: str) -> frozenset[str]:
    """The words of `text`, for membership tests."""
    return frozenset(text.split())


_VERB_AFTER = word_set(
    "to will would can could should shall may might must do does did don't doesn't didn't won't can't cannot "
    "wouldn't couldn't shouldn't please let's i you we they he she it who not never always now "
    "automatically and"
)
_NOUN_AFTER = word_set(
    "a an the this that these those my your his her its our their no any some each every another all both of "
    "in on at for from with by under over without per new first second next last more one two three"
)
_PARTICIPLE_AFTER = word_set("have has had having be is are was were been being get gets got")
_OBJECT_STARTS = word_set(
    "a an the this that these those my your his her its our their all any it them me us in at on"
)
_ADVERBIALS = word_set("at on in when until by soon automatically again after before now shortly daily")


def guess_tags(words: Sequence[str], i: int) -> tuple[str, ...]:
    """Word classes of `words[i]` as the dictionary names them, the likeliest first; () for no idea."""
    before = words[i - 1].lower() if i else ""
    after = words[i + 1].lower() if i + 1 < len(words) else ""
    if before in _PARTICIPLE_AFTER:
        return ("VBN", "VBD", "ADJ")
    if before in _NOUN_AFTER:
        return ("NOUN",)
    if before in _VERB_AFTER or (not before and after in _OBJECT_STARTS):
        return ("VERB",)
    plural_subject = before.endswith("s") and not before.endswith("ss")
    if plural_subject and (after in _ADVERBIALS or after in _OBJECT_STARTS):
        return ("VERB",)
    return ()
