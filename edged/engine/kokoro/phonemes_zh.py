"""Mandarin: Han text to phonemes, the transcription Kokoro's Chinese voices were trained on.

Tone sandhi is applied to the readings of words before a syllable becomes IPA with one tone arrow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from edged.text.pinyin import Word

_DIGITS = frozenset("〇零一二三四五六七八九幺")
# Beside these 一 counts off an item (第一, 十一, 周一, 一百一十, 一号线) and keeps its own tone.
_ORDINAL_BEFORE_YI = frozenset("第十初周期拜")
_ORDINAL_AFTER_YI = frozenset("号楼月日级班栋等层十")
_TIMES = frozenset("次回趟")  # 每周一次 is once a week, not Monday
# Between two of these 一 ends one item of a list (周一周二), it does not double a verb (看一看).
_LISTED = frozenset("号楼月日层周十")
_TONE_ARROWS = {"1": "→", "2": "↗", "3": "↓", "4": "↘", "5": ""}


def _table(text: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in text.split())


_INITIALS = _table(
    "b=p p=pʰ m=m f=f d=t t=tʰ n=n l=l g=k k=kʰ h=x j=ʨ q=ʨʰ x=ɕ zh=ꭧ ch=ꭧʰ sh=ʂ r=ɻ z=ʦ c=ʦʰ s=s"
)
# "0" marks where the tone arrow goes.
_FINALS = _table(
    "a=a0 ai=ai0 an=a0n ang=a0ŋ ao=au0 e=ɤ0 ei=ei0 en=ə0n eng=ə0ŋ i=i0 ia=ja0 ian=jɛ0n iang=ja0ŋ iao=jau0 "
    "ie=je0 in=i0n ing=i0ŋ iong=jʊ0ŋ iu=jou0 o=wo0 ong=ʊ0ŋ ou=ou0 u=u0 ua=wa0 uai=wai0 uan=wa0n uang=wa0ŋ "
    "ui=wei0 un=wə0n uo=wo0 v=y0 ve=ɥe0 ue=ɥe0 van=ɥɛ0n vn=y0n"
)
_FINALS_AFTER_JQX = _table("u=y0 ue=ɥe0 uan=ɥɛ0n un=y0n")
# Syllables without an initial, as pinyin spells them.
_WHOLE_SYLLABLES = _table(
    "yi=i0 ya=ja0 ye=je0 yai=jai0 yao=jau0 you=jou0 yan=jɛ0n yin=i0n yang=ja0ŋ ying=i0ŋ yong=jʊ0ŋ yo=jɔ0 "
    "yu=y0 yue=ɥe0 yuan=ɥɛ0n yun=y0n wu=u0 wa=wa0 wo=wo0 wai=wai0 wei=wei0 wan=wa0n wen=wə0n wang=wa0ŋ "
    "weng=wə0ŋ er=ɚ0 o=ɔ0 ê=ɛ0 m=m0 n=n0 ng=ŋ0 hm=hm0 hng=hŋ0"
)
_APICAL_INITIALS = frozenset(("zh", "ch", "sh", "r", "z", "c", "s"))
_SYLLABLE = re.compile(r"(zh|ch|sh|[bpmfdtnlgkhjqxrzcs])?(.+)")


@dataclass(frozen=True, slots=True)
class Syllable:
    """One Han character with its reading and its place in its word.

    `pinyin` is toneless with ü as v, `tone` "1" to "4", or "5" for the neutral tone.
    """

    han: str
    pinyin: str
    tone: str
    starts_word: bool
    ends_word: bool


def phonemes(words: Iterable[Word]) -> str:
    """Phonemes of words that nothing but spaces keeps apart, separated by one space.

    Characters without a known reading are left out.
    """
    ipa = ((" " if s.starts_word else "") + to_ipa(s.pinyin, s.tone) for s in apply_sandhi(syllables(words)))
    return "".join(ipa).strip()


def syllables(words: Iterable[Word]) -> list[Syllable]:
    """Every character that has a reading, as it is read before sandhi."""
    return [
        Syllable(char, reading[:-1], reading[-1], starts_word=i == 0, ends_word=i == len(word.han) - 1)
        for word in words
        for i, (char, reading) in enumerate(zip(word.han, word.readings, strict=True))
        if reading
    ]


def apply_sandhi(syllables: list[Syllable]) -> list[Syllable]:
    """Spoken tones: 不 and 一 by what follows, a third tone before a third tone rises.

    Digits spelled one by one (零一五) keep their tones.
    """
    spelled = _spelled_digits(syllables)
    spoken = [
        replace(s, tone="1" if spelled[i] else _tone_of_yi_bu(syllables, i)) if s.han in "一不" else s
        for i, s in enumerate(syllables)
    ]
    for foot in _third_tone_feet(spoken, spelled):
        for i in foot[:-1]:
            spoken[i] = replace(spoken[i], tone="2")
    return spoken


def _spelled_digits(syllables: list[Syllable]) -> list[bool]:
    """True for each digit next to another digit (零一五, 二零二六), not for those of 三十五."""
    digit = [False, *(s.han in _DIGITS for s in syllables), False]
    return [here and (left or right) for left, here, right in zip(digit, digit[1:], digit[2:], strict=False)]


def _tone_of_yi_bu(syllables: list[Syllable], i: int) -> str:
    """The tone of the 一 or 不 at index `i`."""
    here = syllables[i]
    before = syllables[i - 1] if i else None
    after = syllables[i + 1] if i + 1 < len(syllables) else None
    if before and after and before.han == after.han and before.han not in _LISTED:  # 看一看, 好不好
        return "5"
    if here.han == "不":
        return "2" if after and after.tone == "4" else "4"
    ends_a_word = here.ends_word and not here.starts_word  # 统一, 唯一
    if after is None or ends_a_word or after.han in _ORDINAL_AFTER_YI:
        return "1"
    if before and before.han in _ORDINAL_BEFORE_YI and after.han not in _TIMES:
        return "1"
    return "2" if after.tone in "45" else "4"


def _third_tone_feet(syllables: list[Syllable], spelled: list[bool]) -> Iterator[list[int]]:
    """Indices of adjacent third tones that are spoken in one breath: all but the last of them rise.

    A word stays together (展览), a one-syllable word joins what follows (很 久, 我 想), the last one what is
    before it (可以 走).
    """
    for third, run in groupby(range(len(syllables)), lambda i: syllables[i].tone == "3" and not spelled[i]):
        if not third:
            continue
        feet: list[list[int]] = []
        foot_open = False
        for i in run:
            s = syllables[i]
            if feet and (foot_open or not s.starts_word):
                feet[-1].append(i)
            else:
                feet.append([i])
            foot_open = s.starts_word and s.ends_word and len(feet[-1]) == 1
        if foot_open and len(feet) > 1:
            feet[-2:] = [feet[-2] + feet[-1]]
        yield from feet


def to_ipa(pinyin: str, tone: str) -> str:
    """One pinyin syllable (ü as v) with tone "1".."5" in Kokoro's alphabet; "" for what is not pinyin.

    >>> to_ipa("zhuang", "4")
    'ꭧwa↘ŋ'
    """
    pattern = _WHOLE_SYLLABLES.get(pinyin)
    if pattern is None:
        match = _SYLLABLE.fullmatch(pinyin)
        if match is None:
            return ""
        initial, final = match[1] or "", match[2]
        if final == "i" and initial in _APICAL_INITIALS:
            body = "ɨ0"
        elif initial in ("j", "q", "x") and final in _FINALS_AFTER_JQX:
            body = _FINALS_AFTER_JQX[final]
        else:
            body = _FINALS.get(final, "")
        pattern = _INITIALS.get(initial, "") + body if body else ""
    return pattern.replace("0", _TONE_ARROWS.get(tone, ""))
