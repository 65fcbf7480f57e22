"""Which engine speaks: the configured one, or a smaller one when it cannot.

A large model may be damaged, missing, too big for the memory, or crash; the board speaks all the same.
"""

from __future__ import annotations

from edged.config.schema import Config, EngineName

# The first crash may be one request's fault and the second a coincidence; the third is the model's.
MOST_CRASHES = 3
# Intelligible if at all possible, audible in any case. Who has configured a small engine gets that one, or
# an answer that says what is missing.
_SMALLER: dict[EngineName, tuple[EngineName, ...]] = {"qwen3": ("kokoro", "tone")}


class EngineChoice:
    """`config` is what the next synth process is to be started with.

    A fallback lasts until the daemon starts again or reads its configuration again.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self._smaller = list(_SMALLER.get(config.speech.engine, ()))
        self._faults: list[str] = []
        self._crashes = 0

    @property
    def engine(self) -> EngineName:
        """The engine chosen now."""
        return self.config.speech.engine

    @property
    def reason(self) -> str:
        """Why it is not the configured one; empty when it is."""
        return "; ".join([*self._faults, f"{self.engine} speaks instead"]) if self._faults else ""

    def has_spoken(self) -> None:
        """The engine has synthesised an announcement to its end."""
        self._crashes = 0

    def cannot_load(self, engine: EngineName, why: str) -> bool:
        """`engine` cannot be loaded. True when it is not, or no longer, the one to be used."""
        if engine == self.engine and self._smaller:
            self._fall_back(why)
        return engine != self.engine

    def has_crashed(self, engine: EngineName) -> None:
        """The process that ran `engine` is gone: too often when it was MOST_CRASHES times in a row."""
        if engine != self.engine:
            return
        self._crashes += 1
        if self._crashes >= MOST_CRASHES and self._smaller:
            self._fall_back(f"crashed {self._crashes} times in a row")

    def _fall_back(self, why: str) -> None:
        self._faults.append(f"{self.engine}: {why}")
        self._crashes = 0
        # the model folder that is configured is the other engine's
        speech = self.config.speech.model_copy(update={"engine": self._smaller.pop(0), "model": None})
        self.config = self.config.model_copy(update={"speech": speech})
