"""What arrives over MQTT -> durable -> scheduler; results -> durable -> MQTT.

All that arrived together is one commit of the journal; only then it is acknowledged.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Iterator

from edged.core.events import Accepted, Event, Now, Publish
from edged.daemon.ledger import Ledger
from edged.io.mqtt import Message, MqttClient
from edged.journal import KEEP_S, Duplicate, Entry, IdReuse
from edged.protocol.command import parse_stop
from edged.protocol.request import Parsed, Rejected, lifetime_s, parse_speak
from edged.protocol.result import Code, Progress, ReplyTo, Result, Stage, Status
from edged.protocol.topics import VERBS, CommandTopic, SpeakTopic, Topics

log = logging.getLogger(__name__)
Verdict = Accepted | Duplicate | IdReuse


def current_time() -> Now:
    """Both clocks, now."""
    return Now(time.monotonic(), time.time())


class Intake:
    """Between the MQTT session and the scheduler.

    `emit` takes events for the scheduler, `stage_of` tells where a request is that has no result yet.
    """

    def __init__(
        self,
        device: str,
        topics: Topics,
        max_text_chars: int,
        ledger: Ledger,
        emit: Callable[[Event], None],
        stage_of: Callable[[str], Stage | None],
    ) -> None:
        self._device = device
        self._topics = topics
        self._max_text_chars = max_text_chars
        self._ledger = ledger
        self._emit = emit
        self._stage_of = stage_of

    def recover(self, mqtt: MqttClient) -> None:
        """Take up what the last process left: send results again, report what was cut off, say what waits."""
        recovered = self._ledger.call(lambda journal: journal.recover(current_time()))
        for cut in recovered.interrupted:
            result = self._result(cut.id, Status.FAILED, Code.INTERRUPTED_BY_RESTART, "edged was restarted")
            self.publish(mqtt, [Publish(result, cut.reply_to)])
        for unsent in recovered.undelivered:
            self._send_result(mqtt, unsent)
        for accepted in recovered.pending:
            self._emit(accepted)

    def receive(self, mqtt: MqttClient, batch: list[Message]) -> None:
        """Take in what arrived together, in its order, and acknowledge it."""
        entries: list[Entry] = []
        for message in batch:
            if message.is_retained and not message.payload:
                continue  # somebody clears what was retained there: nothing is asked for
            match self._topics.read(message.topic):
                case SpeakTopic(priority=priority):
                    entries += self._read_speak(mqtt, message, priority)
                case CommandTopic(verb=verb):
                    self._accept(mqtt, entries)  # a stop is for what was published before it
                    entries = []
                    self._obey(verb, message)
                case None:
                    log.warning("mqtt: nothing is known of topic %s", message.topic)
        self._accept(mqtt, entries)
        for message in batch:
            if message.delivery.qos > 0:
                mqtt.ack(message.delivery)

    def publish(self, mqtt: MqttClient, outcomes: list[Publish]) -> None:
        """Make terminal results durable, then publish each."""
        results = [outcome.result for outcome in outcomes]
        self._ledger.call(lambda journal: journal.finish(results, current_time()))
        for outcome in outcomes:
            result = outcome.result
            log.info("%s: %s%s", result.id, result.status, f" ({result.code})" if result.code else "")
            self._send_result(mqtt, outcome)

    def note_delivered(self, request_ids: list[str]) -> None:
        """The broker has these results; until then the next process would send them again."""
        self._ledger.call(lambda journal: journal.mark_delivered(request_ids))

    def _send_result(self, mqtt: MqttClient, outcome: Publish) -> None:
        result = outcome.result
        self._send(mqtt, result.id, result.encode(), outcome.reply_to, receipt=result.id)

    def _read_speak(self, mqtt: MqttClient, message: Message, priority: str | None) -> Iterator[Entry]:
        parsed = parse_speak(
            priority, message.payload, max_text_chars=self._max_text_chars, retained=message.is_retained
        )
        made_id = uuid.uuid4().hex
        match parsed:
            case Rejected(code=code, reason=reason, id=own_id, warnings=warnings):
                log.warning("mqtt: refused %s on %s: %s", code, message.topic, reason)
                result = self._result(own_id or made_id, Status.REJECTED, code, reason, warnings)
                self._send(mqtt, result.id, result.encode(), message.reply_to)
            case Parsed(request=request):
                yield Entry(
                    id=request.id or made_id,
                    parsed=parsed,
                    reply_to=message.reply_to,
                    lifetime_s=lifetime_s(request, message.expiry_s),
                    packet_id=message.delivery.packet_id,
                    is_redelivery=message.delivery.is_redelivery,
                )

    def _accept(self, mqtt: MqttClient, entries: list[Entry]) -> None:
        if not entries:
            return
        verdicts = self._ledger.call(lambda journal: journal.accept(entries, current_time()))
        for entry, verdict in zip(entries, verdicts, strict=True):
            self._answer(mqtt, entry, verdict)

    def _answer(self, mqtt: MqttClient, entry: Entry, verdict: Verdict) -> None:
        match verdict:
            case Accepted():
                self._emit(verdict)
            case Duplicate(id=known_id, result=result):
                log.info("%s: a duplicate", known_id)
                known = result or Progress(
                    id=known_id,
                    stage=self._stage_of(known_id) or Stage.QUEUED,
                    device=self._device,
                    ts=time.time(),
                )
                self._send(mqtt, known_id, known.encode(), entry.reply_to)
            case IdReuse(id=used_id):
                reason = "this id belongs to a request with another body"
                result = self._result(used_id, Status.REJECTED, Code.ID_REUSE, reason)
                self._send(mqtt, used_id, result.encode(), entry.reply_to)

    def _obey(self, verb: str, message: Message) -> None:
        if verb != "stop":
            known = "does nothing yet (not_active)" if verb in VERBS else "is unknown"
            log.warning("mqtt: command %s %s", verb, known)
            return
        stop = parse_stop(message.payload, retained=message.is_retained)
        if isinstance(stop, Rejected):
            log.warning("mqtt: refused %s on %s: %s", stop.code, message.topic, stop.reason)
        else:
            self._emit(stop)

    def _result(
        self, request_id: str, status: Status, code: Code, reason: str, warnings: tuple[str, ...] = ()
    ) -> Result:
        return Result(
            id=request_id,
            status=status,
            code=code,
            reason=reason,
            warnings=warnings,
            device=self._device,
            ts=time.time(),
        )

    def _send(
        self,
        mqtt: MqttClient,
        request_id: str,
        payload: bytes,
        reply_to: ReplyTo | None,
        receipt: str | None = None,
    ) -> None:
        expiry_s = int(KEEP_S)  # as long as the id is known for sure
        if reply_to is not None:
            mqtt.publish(reply_to.topic, payload, expiry_s=expiry_s, correlation=reply_to.correlation)
        # the broker acknowledges in order: with this receipt it has both
        mqtt.publish(self._topics.result(request_id), payload, expiry_s=expiry_s, receipt=receipt)
