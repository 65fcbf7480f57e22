"""American English: dictionary, weak forms, letters, endings, unknown words."""

from __future__ import annotations

from pathlib import Path

import pytest

from edged.engine.kokoro.part_of_speech import guess_tags
from edged.engine.kokoro.phonemes_en import LETTER_NAMES, English, is_letter, spell


@pytest.fixture(scope="session")
def english(model_dir: Path) -> English:
    return English(model_dir)


@pytest.mark.parametrize(
    ("phrase", "phonemes"),
    [
        ("the gate", "ðə ɡˈAt"),
        ("the elevator", "ði ˈɛləvˌATəɹ"),
        ("a train", "ɐ tɹˈAn"),
        ("an elevator", "ɐn ˈɛləvˌATəɹ"),
        ("go to gate five", "ɡˌO tə ɡˈAt fˈIv"),
        ("go to elevator five", "ɡˌO tʊ ˈɛləvˌATəɹ fˈIv"),
        ("go to", "ɡˌO tu"),
        ("go in", "ɡˌO ˈɪn"),
        ("in here", "ɪn hˈɪɹ"),
        ("I am here", "ˌI ɐm hˈɪɹ"),
        ("here I am", "hˈɪɹ ˌI æm"),
        ("it can go", "ɪt kæn ɡˌO"),
        ("it can", "ɪt kˈæn"),
    ],
)
def test_function_words_take_their_form_from_what_follows(
    english: English, phrase: str, phonemes: str
) -> None:
    """Articles and prepositions weaken before words and strengthen before a pause."""
    assert english.phonemes(phrase.split()) == phonemes


@pytest.mark.parametrize(
    ("phrase", "phonemes"),
    [
        ("A train is here", "ɐ tɹˈAn ɪz hˈɪɹ"),
        ("A five minute delay", "ɐ fˈIv mˈɪnət dəlˈA"),
        ("A zero one five", "ˈA zˈɪɹO wˈʌn fˈIv"),
        ("ticket A five", "tˈɪkət ˈA fˈIv"),
        ("gate A", "ɡˈAt ˈA"),
        ("A T M is open", "ˌAtˌiˈɛm ɪz ˈOpᵊn"),
    ],
)
def test_a_lone_capital_a_is_the_article_only_before_a_noun(
    english: English, phrase: str, phonemes: str
) -> None:
    """Tickets and gates have letters; sentences begin with articles."""
    assert english.phonemes(phrase.split()) == phonemes


def test_i_is_a_letter_only_beside_letters_or_numbers() -> None:
    """ "I D" and "I five" are spelled, "I go" is the pronoun."""
    assert is_letter(["I", "D"], 0)
    assert is_letter(["I", "five"], 0)
    assert not is_letter(["I", "go"], 0)


@pytest.mark.parametrize(
    ("phrase", "phonemes"),
    [
        ("The doors will close", "ðə dˈɔɹz wɪl klˈOz"),
        ("Close the gate", "klˈOz ðə ɡˈAt"),
        ("The gate is close", "ðə ɡˈAt ɪz klˈOs"),
        ("Your record is here", "jˌʊɹ ɹˈɛkəɹd ɪz hˈɪɹ"),
        ("please record it", "plˈiz ɹəkˈɔɹd ɪt"),
        ("please use it", "plˈiz jˈuz ɪt"),
        ("it is in use", "ɪt ɪz ɪn jˈus"),
        ("it is read", "ɪt ɪz ɹˈɛd"),
        ("please read it", "plˈiz ɹˈid ɪt"),
        ("I used to go", "ˌI jˈust tə ɡˌO"),
        ("it is used to go", "ɪt ɪz jˈuzd tə ɡˌO"),
    ],
)
def test_words_with_two_readings_follow_their_word_class(
    english: English, phrase: str, phonemes: str
) -> None:
    """The word before, or the place in the sentence, decides."""
    assert english.phonemes(phrase.split()) == phonemes


@pytest.mark.parametrize(
    ("word", "phonemes"),
    [
        ("tickets", "tˈɪkəts"),
        ("trains", "tɹˈAnz"),
        ("buses", "bˈʌsᵻz"),
        ("machines", "məʃˈinz"),
        ("cities", "sˈɪTiz"),
        ("passenger's", "pˈæsᵊnʤəɹz"),
        ("passengers'", "pˈæsᵊnʤəɹz"),
        ("printed", "pɹˈɪntᵻd"),
        ("updated", "ˈʌpdˌATᵻd"),
        ("updating", "ˈʌpdˌATɪŋ"),
        ("stopped", "stˈɑpt"),
        ("stopping", "stˈɑpɪŋ"),
        ("pressed", "pɹˈɛst"),
        ("opened", "ˈOpᵊnd"),
    ],
)
def test_endings_are_added_to_a_known_stem(english: English, word: str, phonemes: str) -> None:
    """Plural, possessive, past and -ing need no entry of their own."""
    assert english.phonemes([word]) == phonemes


def test_the_tap_and_the_glottal_stop_are_written_as_trained(english: English) -> None:
    """The voice knows T and t, not the dictionary's own signs."""
    assert english.phonemes(["city"]) == "sˈɪTi"
    assert english.phonemes(["button"]) == "bˈʌtn"


def test_case_does_not_hide_a_word(english: English) -> None:
    """monday, MONDAY and Gate are in the dictionary under another case."""
    assert english.phonemes(["monday"]) == "mˈʌndˌA"
    assert english.phonemes(["Gate"]) == "ɡˈAt"
    assert english.phonemes(["GATE"]) == "ɡˈAt"


def test_capitals_that_are_no_word_are_spelled(english: English) -> None:
    """CPU has no entry, so it is read by its letters, the last one stressed."""
    assert english.phonemes(["CPU"]) == "sˌipˌijˈu"
    assert english.phonemes(["OK"]) == "ˌOkˈA"


def test_hyphenated_words_are_read_in_parts(english: English) -> None:
    """one-minute is one and minute."""
    assert english.phonemes(["one-minute"]) == "wˈʌn mˈɪnət"


def test_an_unknown_word_goes_to_the_spelling_network(english: English) -> None:
    """Its answer is collapsed: repeats once, blanks dropped."""
    assert english.phonemes(["zzap"]) == "zap"


def test_spelling_names_every_letter() -> None:
    """All 26 letters have a name with one primary stress; a run is stressed on its last."""
    for letter, name in LETTER_NAMES.items():
        assert name.count("ˈ") == 1
        assert spell(letter) == name
    assert spell("AB") == "ˌAbˈi"


@pytest.mark.parametrize(
    ("phrase", "index", "tags"),
    [
        ("doors close at nine", 1, ("VERB",)),
        ("the close call", 1, ("NOUN",)),
        ("has read it", 1, ("VBN", "VBD", "ADJ")),
        ("close the door", 0, ("VERB",)),
        ("close friends", 0, ()),
    ],
)
def test_the_word_class_is_guessed_from_the_neighbours(
    phrase: str, index: int, tags: tuple[str, ...]
) -> None:
    """No idea is an answer too: the dictionary's common reading is used then."""
    assert guess_tags(phrase.split(), index) == tags
