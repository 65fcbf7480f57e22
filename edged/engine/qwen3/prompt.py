"""What the talker is given before it speaks: text, language and voice as one run of embeddings.

A position is a text row plus a codec row, in this order (… stands for repeats):

    text row                                    codec row
    <|im_start|>user\\n instruct <|im_end|>\\n    none (the whole line only where there is an instruct)
    <|im_start|>assistant\\n                     none
    tts_pad …                                   think, think_bos, language, think_eos; the voice, if any
                                                (language auto: nothink, think_bos, think_eos)
    tts_bos                                     pad

and then, the whole text at once or one token a frame:

    all tokens of the text, tts_eos             pad …
    tts_pad                                     bos

    the text's first token                      bos (the other tokens and tts_eos join the frames)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from edged.engine.qwen3.config import ModelConfig, TalkerConfig
from edged.engine.qwen3.tokenizer import Tokenizer
from edged.errors import BadInputError, ModelUnavailableError

Rows = NDArray[np.float32]

AUTO = "auto"
# the languages whose place a speaker's dialect takes
DIALECT_LANGUAGES = ("chinese", AUTO)

_ROLE = "<|im_start|>assistant\n"
_CLOSING = f"<|im_end|>\n{_ROLE}"


class TextRows(Protocol):
    """Text embeddings by token id, projected to the talker's width."""

    def __getitem__(self, ids: list[int], /) -> Rows:
        """One row for each id, as float32 of the caller's own: they are added to."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the talker reads first and what joins the frames it speaks; H is its hidden size.

    `embeds` [T, H] is the prefill. `trailing` [n, H] is text still to come: row i joins the codes of frame i
    as the next input, and `pad` [H] those of every later frame.
    """

    embeds: Rows
    trailing: Rows
    pad: Rows


class PromptBuilder:
    """Builds the prompts of one model; `codec_embedding` is the talker's table [vocabulary, H].

    Raises ModelUnavailableError when the tokenizer's files do not know the words of the prompt's frame.
    """

    def __init__(
        self, config: ModelConfig, tokenizer: Tokenizer, text_rows: TextRows, codec_embedding: Rows
    ) -> None:
        self._config = config
        self._tokenizer = tokenizer
        self._text_rows = text_rows
        self._codec_embedding = codec_embedding
        self._role, self._closing = tokenizer(_ROLE), tokenizer(_CLOSING)
        if len(self._role) != 3:
            raise ModelUnavailableError(
                f"tokenizer: {_ROLE!r} is {len(self._role)} tokens instead of 3",
                "vocab.json and merges.txt are not those of a Qwen3-TTS checkpoint",
            )

    def build(
        self,
        text: str,
        *,
        language: str = AUTO,
        speaker: str | None = None,
        x_vector: Rows | None = None,
        instruct: str | None = None,
        streaming_text: bool = False,
    ) -> Prompt:
        """The prompt for one sentence.

        `language` is "auto" or a name of codec_language_id, a dialect's included; `speaker` a name of spk_id
        (capitals do not matter in either); `x_vector` [H] is the voice of a Base model. Raises BadInputError
        for a text or an instruct that would break the prompt's frame.
        """
        tts, codec = self._config, self._config.talker_config
        body = self._body(text)
        before = self._codec_prefix(language.lower(), speaker and speaker.lower(), x_vector)
        opening = [*self._instruct(instruct), *self._role]
        over_prefix = [tts.tts_pad_token_id] * (len(before) - 1) + [tts.tts_bos_token_id]
        if streaming_text:
            last, trailing = body[:1], [*body[1:], tts.tts_eos_token_id]
            under_text = [codec.codec_bos_id]
        else:
            last, trailing = [*body, tts.tts_eos_token_id, tts.tts_pad_token_id], []
            under_text = [codec.codec_pad_id] * (len(body) + 1) + [codec.codec_bos_id]
        first = [*opening, *over_prefix, *last]
        rows = self._text_rows[[*first, *trailing, tts.tts_pad_token_id]]
        rows[len(opening) : len(first)] += np.concatenate([before, self._codec_embedding[under_text]])
        return Prompt(embeds=rows[: len(first)], trailing=rows[len(first) : -1], pad=rows[-1])

    def _body(self, text: str) -> list[int]:
        """Token ids of the text alone; tokenised with its frame, whose last line break it could swallow."""
        ids = self._tokenizer(f"{_ROLE}{text}{_CLOSING}")
        start, stop = len(self._role), len(ids) - len(self._closing)
        body = ids[start:stop]
        if ids[:start] != self._role or not body or not self._tokenizer.control_ids.isdisjoint(body):
            raise BadInputError(
                f"text {text!r} is empty, begins with a line break or holds a control token", "plain text"
            )
        return body

    def _instruct(self, instruct: str | None) -> list[int]:
        if not instruct:
            return []
        ids = self._tokenizer(f"<|im_start|>user\n{instruct}<|im_end|>\n")
        if sum(index in self._tokenizer.control_ids for index in ids) != 2:
            raise BadInputError(f"instruct {instruct!r} holds a control token", "plain words")
        return ids

    def _codec_prefix(self, language: str, speaker: str | None, x_vector: Rows | None) -> Rows:
        """Codec rows of language and voice and the pad after them, [3 to 6, H]."""
        config = self._config.talker_config
        number = language_id(config, language, speaker)
        think, named = (config.codec_nothink_id, []) if number is None else (config.codec_think_id, [number])
        tags = [think, config.codec_think_bos_id, *named, config.codec_think_eos_id]
        rows = [self._codec_embedding[tags]]
        if speaker is not None:
            rows.append(self._codec_embedding[[config.spk_id[speaker]]])
        if x_vector is not None:
            rows.append(self._checked(x_vector))
        return np.concatenate([*rows, self._codec_embedding[[config.codec_pad_id]]])

    def _checked(self, x_vector: Rows) -> Rows:
        size = self._config.x_vector_size
        if x_vector.shape != (size,):
            raise BadInputError(
                f"x-vector of shape {x_vector.shape}: this model's speaker embeddings are [{size}]",
                "a speaker embedding made with a Base model of the same size",
            )
        return x_vector[None]


def language_id(config: TalkerConfig, language: str, speaker: str | None) -> int | None:
    """The codec id of the language, None for auto; a speaker's dialect goes before Chinese and auto."""
    dialect = speaker is not None and config.spk_is_dialect.get(speaker, False)
    if dialect and language in DIALECT_LANGUAGES:
        return config.codec_language_id[dialect]
    return None if language == AUTO else config.codec_language_id[language]
