"""Which messages on speak topics are requests that may be accepted: read, checked, counted."""

from __future__ import annotations

import uuid
from dataclasses import replace

from edged.config.schema import Config
from edged.core.rate import RateLimiter
from edged.io.mqtt import Message
from edged.journal import Entry
from edged.protocol.request import Parsed, Priority, Rejected, lifetime_s, parse_speak
from edged.protocol.result import Code
from edged.text.compose import compose
from edged.text.content import Words
from edged.text.templates import TemplateError, Templates

_MOST_TEXTS = 1000  # more than grow at one time; a part of one forgotten is counted as a request


class Admission:
    """Knows this device's limits and templates."""

    def __init__(self, config: Config, templates: Templates) -> None:
        self._max_text_chars = config.speech.max_text_chars
        self._rate_per_s = config.queue.rate_limit_per_s
        self._rate = RateLimiter(self._rate_per_s, config.queue.rate_burst)
        self._templates = templates
        self._texts: dict[str, None] = {}  # ids of the texts in parts that were let in, the last ones

    def judge(self, message: Message, priority: str | None, now_s: float) -> Entry | Rejected:
        """What to keep of it, under its own id or one made for it; `now_s` is monotonic."""
        parsed = parse_speak(
            priority, message.payload, max_text_chars=self._max_text_chars, retained=message.is_retained
        )
        if isinstance(parsed, Parsed):
            parsed = self._check_template(parsed)
        if isinstance(parsed, Rejected):
            return parsed
        if not self._is_admitted(message, parsed, now_s):
            reason = f"more than {self._rate_per_s:g} requests per second on {message.topic}"
            return Rejected(Code.RATE_LIMITED, reason, parsed.request.id, parsed.warnings)
        request = parsed.request
        return Entry(
            id=request.id or uuid.uuid4().hex,
            parsed=parsed,
            reply_to=None if request.ack == "none" else message.reply_to,
            lifetime_s=lifetime_s(request, message.expiry_s),
            packet_id=message.delivery.packet_id,
            is_redelivery=message.delivery.is_redelivery,
        )

    def _check_template(self, parsed: Parsed) -> Parsed | Rejected:
        request = parsed.request
        if request.template is None:
            return parsed
        try:
            pieces = compose(request, self._templates)
            unknown = self._templates.unknown_vars(request.template, request.vars or {})
        except TemplateError as error:
            return Rejected(Code.BAD_FIELD, error.what, request.id, parsed.warnings)
        warnings = (*parsed.warnings, *(f"unknown_field: vars.{name}" for name in unknown))
        chars = sum(len(piece.text) for piece in pieces if isinstance(piece, Words))
        if chars > self._max_text_chars:
            reason = f"{chars} characters; this device takes {self._max_text_chars}"
            return Rejected(Code.TOO_LONG, reason, request.id, warnings)
        return replace(parsed, warnings=warnings)

    def _is_admitted(self, message: Message, parsed: Parsed, now_s: float) -> bool:
        request = parsed.request
        # a redelivery was counted when it came first, a further part with the first one of its text
        is_further = request.part is not None and request.id in self._texts
        is_free = request.priority is Priority.EMERGENCY or is_further or message.delivery.is_redelivery
        is_admitted = is_free or self._rate.admits(message.topic, now_s)
        if is_admitted and request.part is not None and request.id is not None:
            self._remember(request.id)
        return is_admitted

    def _remember(self, request_id: str) -> None:
        self._texts.pop(request_id, None)
        self._texts[request_id] = None
        if len(self._texts) > _MOST_TEXTS:
            del self._texts[next(iter(self._texts))]
