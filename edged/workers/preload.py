"""Speech for the phrase cache that nobody hears yet, made while there is nothing else to do."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable

from edged.config.schema import SpeechConfig
from edged.engine.base import Engine, SynthJob
from edged.errors import EdgedError
from edged.text.sentence import Sentence
from edged.workers.clips import Clips
from edged.workers.house_style import HouseStyle
from edged.workers.messages import Speak
from edged.workers.script import Script
from edged.workers.voicing import resolve

log = logging.getLogger(__name__)

_MOST_WAITING = 1000  # a site's whole set of prompts


class Preloader:
    """What waits to be made. `is_wanted`: somebody waits for the engine, and nobody for this."""

    def __init__(
        self, speech: SpeechConfig, style: HouseStyle, clips: Clips, is_wanted: Callable[[], bool]
    ) -> None:
        self._speech = speech
        self._style = style
        self._check_clip = clips.check
        self._is_wanted = is_wanted
        self._waiting: deque[Speak] = deque()

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, speak: Speak) -> None:
        """Its words are to be made some time."""
        if len(self._waiting) < _MOST_WAITING:
            self._waiting.append(speak)
        else:
            log.warning("preload: %d wait already; left out", _MOST_WAITING)

    def work(self, engine: Engine, beat: Callable[[str], None]) -> None:
        """Make the oldest, unless the engine is wanted; what is done by then is kept, and found again."""
        speak = self._waiting[0]
        try:
            for sentence in self._sentences(speak):
                for _ in engine.synthesize(self._job(engine, speak, sentence)):
                    beat("preloading")
                    if self._is_wanted():
                        return
        except EdgedError as error:
            log.warning("preload: %s", error.what)
        self._waiting.popleft()

    def _sentences(self, speak: Speak) -> list[Sentence]:
        items = Script(self._check_clip, self._style.now()).read(speak.pieces)
        return [item for item in items if isinstance(item, Sentence)]

    def _job(self, engine: Engine, speak: Speak, sentence: Sentence) -> SynthJob:
        how = resolve(engine.info, self._speech, speak)
        return SynthJob(speak.job_id, (sentence,), how.voices, how.speed, how.options, speak.cache)
