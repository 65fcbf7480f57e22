"""Latin letters that are spelled: acronyms, codes, and words in capitals that only look like them.

In the spoken form a capital standing alone is a letter to spell; a word in capitals becomes lower case.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_MAX_ACRONYM_LETTERS = 5

# Words that signs and controllers write in capitals.
_SIGN_WORDS = """
    ALARM ALERT ALL AN AND ARE AS AT BACK BE BUS BUSY BY CALL CAR CARD CASH CLEAR CLOSE COLD COME COUNT
    DATE DAY DESK DO DOOR DOWN EAST EMPTY ENTER EQUAL ERROR EXIT FAIL FAULT FIRE FIRST FLOOR FOR FREE
    FROM FULL GAS GATE GET GO GOOD GREEN HALL HALT HAVE HELLO HELP HERE HIGH HOLD HOT HOUR IN INFO INTO
    IS KEEP KEY LASER LAST LEFT LEVEL LIFT LIGHT LINE LOCK LOW MAIN MAY MODE MODEM MOVE MUST NAME NASA
    NEW NEXT NIGHT NO NORTH NOT NOW OF OFF OIL ON ONE ONLY OPEN OR ORDER OUT OVER PAGE PART PAUSE PAY PIN
    PLAY PLUS POWER PRESS PULL PUSH QUEUE QUIET RADAR RAIN READY RED RESET RIGHT ROAD ROOM ROW RUN SAFE
    SALE SAVE SEAT SET SHOP SHUT SIDE SIM SLOW SOUTH SPEED STAFF START STAY STEP STOP TANK TAP TAX TEMP
    TEST THE THEN THIS TIME TO TODAY TOP TRAIN TURN TWO UNIT UP USE VALVE VERY VIEW WAIT WALK WARN WATER
    WAY WE WEST WILL WITH WORK YES YOU YOUR ZERO ZONE
"""
_WORDS = frozenset(_SIGN_WORDS.split())
# Spelled even in a sentence that is all in capitals, where other words of this length are words.
_COMMON_ACRONYMS = """
    AC AI API ATM CEO CPU EU GPU ICU ID IP LAN LED OK OTA PIR UI UK UPS URL USA USB VIP
"""
_ACRONYMS = frozenset(_COMMON_ACRONYMS.split())
_VOWEL = re.compile("[AEIOUY]")
_CODE_PART = re.compile("[0-9]+|[A-Za-z]+")
_LOWER = re.compile("[a-z]")
_CAPITAL_WORD = re.compile(r"\b[A-Z]{2,}\b")


def spell(letters: str) -> str:
    """`letters` as capitals with spaces between: "C P U"."""
    return " ".join(letters.upper())


def read_code(code: str, by_digit: Callable[[str], str]) -> str:
    """A mix of letters and digits, each said on its own: "H seven N nine"."""
    return " ".join(by_digit(part) if part.isdigit() else spell(part) for part in _CODE_PART.findall(code))


def shouts(text: str) -> bool:
    """Whether `text` is a sentence in capitals: "GATE 12 IS OPEN"."""
    return not _LOWER.search(text) and len(_CAPITAL_WORD.findall(text)) >= 3


def read_word(word: str, shouting: bool) -> str:
    """The spoken form of a run of letters with apostrophes or hyphens inside."""
    if len(word) < 2 or not word.isupper():
        return word
    if not word.isalpha():
        return word.lower() if "'" in word else " ".join(read_word(w, shouting) for w in word.split("-"))
    return spell(word) if _is_spelled(word, shouting) else word.lower()


def _is_spelled(word: str, shouting: bool) -> bool:
    if len(word) > _MAX_ACRONYM_LETTERS or word in _WORDS:
        return False
    return not shouting or word in _ACRONYMS or not _VOWEL.search(word)


def greek_name(letter: str) -> str:
    """The English name of a Greek letter, which Chinese uses too."""
    return unicodedata.name(letter).rsplit(" ", 1)[-1].lower()
