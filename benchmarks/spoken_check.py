"""What was really played against what was answered: nothing lost, nothing said twice.

Pure: answers and decoded sounds in, faults in words out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.tone_codes import Heard, encode
from edged.protocol.result import Code, Status

# The news that the last sample has left may be lost with a process: then it was heard, and the answer is
# the cautious one.
_CUT_OFF = {Code.INTERRUPTED_BY_RESTART, Code.AUDIO_LOST, Code.ENGINE_CRASHED}


@dataclass(frozen=True, slots=True)
class Answer:
    """The terminal result of a request."""

    status: Status
    code: Code | None = None

    @property
    def may_have_sounded(self) -> bool:
        """Whether a part of it may have been heard although it did not finish."""
        return self.status in (Status.CANCELLED, Status.INTERRUPTED, Status.MUTED) or (
            self.status is Status.FAILED and self.code in _CUT_OFF
        )

    @property
    def may_be_whole(self) -> bool:
        """Whether all of it may have been heard although it did not finish."""
        return self.status is Status.FAILED and self.code in _CUT_OFF


@dataclass(frozen=True, slots=True)
class Verdict:
    """Each fault in words; `cut_off` and `unconfirmed` are none.

    `cut_off`: fragments of announcements whose result says that they did not finish. `unconfirmed`: such
    announcements that were heard whole, once.
    """

    lost: tuple[str, ...]
    spoken_twice: tuple[str, ...]
    cut_off: int
    unconfirmed: int


def judge(answers: Mapping[int, Answer | None], heard: Sequence[Heard]) -> Verdict:
    """Compare the answers by number (None: no result came) with everything that was heard."""
    whole = Counter(number for sound in heard if (number := sound.number) is not None)
    fragments = [sound for sound in heard if sound.number is None]
    lost = [fault for number in answers if (fault := _lost(number, answers[number], whole[number]))]
    twice = [f"{number}: heard {times} times" for number, times in whole.items() if times > 1]
    twice += [f"{number}: heard, and nobody asked for it" for number in whole if number not in answers]
    twice += [fault for number in whole if (fault := _denied(number, answers.get(number)))]
    unclaimed = [
        encode(number)
        for number, answer in answers.items()
        if not whole[number] and (answer is None or answer.may_have_sounded)
    ]
    strays = _strays(fragments, unclaimed)
    twice += [
        f"a fragment {sound.letters or 'without a beginning'} at {sound.at_s:.2f} s" for sound in strays
    ]
    return Verdict(
        lost=tuple(lost),
        spoken_twice=tuple(twice),
        cut_off=len(fragments) - len(strays),
        unconfirmed=sum(1 for number in whole if (a := answers.get(number)) and a.may_be_whole),
    )


def _lost(number: int, answer: Answer | None, times: int) -> str:
    if answer is None:
        return f"{number}: no result"
    if answer.status is Status.FINISHED and not times:
        return f"{number}: finished, and not heard to its end"
    return ""


def _denied(number: int, answer: Answer | None) -> str:
    """Heard whole although the result says that it was not."""
    if answer is None or answer.status is Status.FINISHED or answer.may_be_whole:
        return ""
    return f"{number}: heard, and its result is {answer.status} {answer.code or ''}"


def _strays(fragments: Sequence[Heard], unclaimed: list[str]) -> list[Heard]:
    """The fragments that no announcement accounts for, if each accounts for one at most.

    The longest choose first: whatever fits a longer one fits its beginnings too.
    """
    strays: list[Heard] = []
    for sound in sorted(fragments, key=lambda sound: len(sound.letters), reverse=True):
        word = next((word for word in unclaimed if word.startswith(sound.letters)), None)
        if word is None:
            strays.append(sound)
        else:
            unclaimed.remove(word)
    return strays
