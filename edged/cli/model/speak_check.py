"""Has a model speak the prompts and judges each recording, as far as a program can."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from edged.audio import wav
from edged.audio.level import peak_dbfs, rms_dbfs
from edged.cli.recogniser import Recogniser
from edged.cli.synth_client import SpokenChunk, SynthClient, open_synth
from edged.config.schema import Config
from edged.engine.base import Samples
from edged.errors import EdgedError
from edged.text.scoring import score, spoken_form
from edged.text.sentence import Lang
from edged.workers.messages import SynthEnd

Prompt = tuple[Lang, str]
Progress = Callable[[str, float], None]

# A third and three times of what Kokoro takes over these prompts: 0.23 to 0.30 s a Chinese character, 0.06
# to 0.08 s an English letter. Whoever is faster has left words out, whoever is slower has added some.
_SECONDS_PER_CHAR: dict[Lang, tuple[float, float]] = {"zh": (0.08, 0.8), "en": (0.02, 0.24)}
# Quieter is nearly silent, louder is noise or clipped: speech as a whole is 12 to 20 dB below its peaks.
_LEVEL_DBFS = (-45.0, -8.0)
# Of words or syllables; a voice that is understood makes a recogniser err in a few of a hundred.
_MOST_ERRORS_PERCENT = 50.0


@dataclass(frozen=True, slots=True)
class Spoken:
    """One prompt and what became of it; figures are None where there was nothing to measure.

    `error_percent` is the recogniser's, None where none is installed. Each problem is a word or two, a colon
    and the details.
    """

    name: str
    lang: Lang
    text: str
    audio_s: float | None = None
    rtf: float | None = None
    seconds_per_char: float | None = None
    level_dbfs: float | None = None
    peak_dbfs: float | None = None
    heard: str | None = None
    error_percent: float | None = None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """All prompts spoken by one build of a model."""

    engine: str
    model: str
    model_sha256: str | None
    is_heard: bool
    prompts: tuple[Spoken, ...]

    @property
    def failed(self) -> list[Spoken]:
        """The prompts with problems."""
        return [spoken for spoken in self.prompts if spoken.problems]


def speak_all(
    config: Config, prompts: tuple[Prompt, ...], folder: Path, recogniser: Recogniser, progress: Progress
) -> Report:
    """Speak the prompts into WAV files in `folder`, have them recognised if possible, and judge them.

    A prompt that fails is part of the report. Raises what keeps the model from being loaded.
    """
    with open_synth(config) as synth:
        ready = synth.ready
        spoken = []
        for index, (name, (lang, text)) in enumerate(_named(prompts)):
            progress("speaking", index / len(prompts))
            spoken.append(_speak(synth, Spoken(name, lang, text), folder))
    if recogniser.is_installed:
        spoken = list(_hear(spoken, folder, recogniser, progress))
    return Report(ready.engine, ready.model, ready.model_sha256, recogniser.is_installed, tuple(spoken))


def _named(prompts: tuple[Prompt, ...]) -> Iterator[tuple[str, Prompt]]:
    counts: dict[Lang, int] = {}
    for lang, text in prompts:
        counts[lang] = counts.get(lang, 0) + 1
        yield f"{lang}-{counts[lang]:02}", (lang, text)


def _speak(synth: SynthClient, prompt: Spoken, folder: Path) -> Spoken:
    try:
        items = list(synth.speak(prompt.text, prompt.lang, None))
    except EdgedError as error:
        return replace(prompt, problems=(f"{error.code}: {error.what}",))
    chunks = [item.samples for item in items if isinstance(item, SpokenChunk)]
    synth_ms = sum(item.synth_ms for item in items if isinstance(item, SynthEnd))
    samples = np.concatenate([np.zeros(0, np.float32), *chunks])
    rate_hz = synth.ready.sample_rate_hz
    (folder / f"{prompt.name}.wav").write_bytes(wav.encode(samples, rate_hz))
    return judge(prompt, samples, rate_hz, synth_ms / 1000)


def judge(prompt: Spoken, samples: Samples, rate_hz: int, synth_s: float) -> Spoken:
    """The figures of a recording that ended by itself, and what is odd about them."""
    audio_s = len(samples) / rate_hz
    characters = sum(letter.isalnum() for letter in spoken_form(prompt.text, prompt.lang))
    measured = replace(
        prompt,
        audio_s=round(audio_s, 2),
        rtf=round(synth_s / audio_s, 3) if audio_s else None,
        seconds_per_char=round(audio_s / characters, 3),
        level_dbfs=rms_dbfs(samples),
        peak_dbfs=peak_dbfs(samples),
    )
    return replace(measured, problems=tuple(_problems(measured)))


def _problems(spoken: Spoken) -> Iterator[str]:
    assert spoken.seconds_per_char is not None
    assert spoken.level_dbfs is not None
    fastest, slowest = _SECONDS_PER_CHAR[spoken.lang]
    if not fastest <= spoken.seconds_per_char <= slowest:
        fault = "too short" if spoken.seconds_per_char < fastest else "too long"
        yield f"{fault}: {spoken.seconds_per_char} s a character; speech takes {fastest} to {slowest}"
    quietest, loudest = _LEVEL_DBFS
    if not quietest <= spoken.level_dbfs <= loudest:
        fault = "too quiet" if spoken.level_dbfs < quietest else "too loud"
        yield f"{fault}: level {spoken.level_dbfs} dBFS; speech has {quietest} to {loudest}"


def _hear(spoken: list[Spoken], folder: Path, recogniser: Recogniser, progress: Progress) -> Iterator[Spoken]:
    recorded = [one for one in spoken if one.audio_s]
    texts = recogniser.listen([(one.lang, folder / f"{one.name}.wav") for one in recorded])
    heard = {}
    for index, one in enumerate(recorded):
        progress("listening", index / len(recorded))
        heard[one.name] = next(texts)
    for one in spoken:
        yield with_text(one, heard[one.name]) if one.name in heard else one


def with_text(spoken: Spoken, heard: str) -> Spoken:
    """The prompt with what the recogniser made of it."""
    percent = round(score(spoken_form(spoken.text, spoken.lang), heard, spoken.lang).percent, 1)
    problems = spoken.problems
    if percent > _MOST_ERRORS_PERCENT:
        problems += (f"not understood: {heard!r}",)
    return replace(spoken, heard=heard, error_percent=percent, problems=problems)
