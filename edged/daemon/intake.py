"""What arrives over MQTT -> durable -> scheduler; results -> durable -> MQTT.

All that arrived and ended together is one commit of the journal; only then it is acknowledged and told.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Sequence

from edged.config.schema import Config
from edged.core.events import Accepted, Event, Now, PartArrived
from edged.daemon.admission import Admission
from edged.daemon.answers import Answers
from edged.daemon.ledger import Ledger
from edged.io.mqtt import Message, MqttClient
from edged.journal import Duplicate, Entry, Journal, Outcome, Refused, Verdict
from edged.protocol.request import Parsed, Rejected, Request
from edged.protocol.result import Result, Stage
from edged.protocol.topics import CommandTopic, SpeakTopic, Topics
from edged.text.templates import Templates

log = logging.getLogger(__name__)

_MOST_OBEYED = 100  # as many as the broker may have in flight to us


def current_time() -> Now:
    """Both clocks, now."""
    return Now(time.monotonic(), time.time())


class Intake:
    """Between the MQTT session and the scheduler.

    `emit` takes events for the scheduler, `stage_of` tells where a request is that has no result yet,
    `obey` takes commands: the verb and the message, in their order among the requests.
    """

    def __init__(
        self,
        device: str,
        topics: Topics,
        config: Config,
        templates: Templates,
        ledger: Ledger,
        emit: Callable[[Event], None],
        stage_of: Callable[[str], Stage | None],
        obey: Callable[[str, Message], None],
    ) -> None:
        self._topics = topics
        self._answers = Answers(device, topics)
        self._admission = Admission(config, templates)
        self._ledger = ledger
        self._emit = emit
        self._stage_of = stage_of
        self._obey = obey
        self._ended: list[Result] = []
        self._obeyed: dict[int, int] = {}  # packet id -> digest of the command, the last ones

    def recover(self, mqtt: MqttClient) -> None:
        """Take up what the last process left: send results again, report what was cut off, say what waits."""
        recovered = self._ledger.call(lambda journal: journal.recover(current_time()))
        for unsent in recovered.undelivered:
            self._answers.send_terminal(mqtt, unsent)
        self._ended += [self._answers.cut_off(one) for one in recovered.interrupted]
        self.publish(mqtt)
        for event in recovered.pending:
            self._emit(event)

    def end(self, result: Result) -> None:
        """A terminal result: made durable with what arrives next, at the latest by `publish`."""
        self._ended.append(result)

    def publish(self, mqtt: MqttClient) -> None:
        """Make durable what has ended, all in one commit, and publish it."""
        self._keep(mqtt, [])

    def receive(self, mqtt: MqttClient, batch: list[Message]) -> None:
        """Take in what has arrived together, in its order, and acknowledge it."""
        requests: list[tuple[Message, str | None]] = []
        for message in batch:
            topic = self._topics.read(message.topic)
            if isinstance(topic, SpeakTopic) and not _is_clearing(message):
                requests.append((message, topic.priority))
                continue
            self._take_in(mqtt, requests)  # a stop is for what was published before it
            requests = []
            self._note(message, topic)
            _acknowledge(mqtt, [message])
        self._take_in(mqtt, requests)

    def announce(self, mqtt: MqttClient, request: Request) -> str:
        """Accept a request of our own; returns the id made for it."""
        made_id = uuid.uuid4().hex
        entry = Entry(made_id, Parsed(request, (), fingerprint=made_id))
        self._answer(mqtt, entry, self._keep(mqtt, [entry])[0])
        return made_id

    def tell(self, mqtt: MqttClient, request_id: str, stage: Stage) -> None:
        """For those who follow an announcement live."""
        self._answers.tell(mqtt, request_id, stage)

    def note_delivered(self, request_ids: list[str]) -> None:
        """The broker has these results; until then the next process would send them again."""
        self._ledger.call(lambda journal: journal.mark_delivered(request_ids))

    def _note(self, message: Message, topic: object) -> None:
        """What is no request: a command, or nothing at all."""
        match topic:
            case _ if _is_clearing(message):
                return
            case CommandTopic(verb=verb):
                if not self._was_obeyed(message):
                    self._obey(verb, message)
            case _:
                log.warning("mqtt: nothing is known of topic %s", message.topic)

    def _was_obeyed(self, message: Message) -> bool:
        """It is a redelivery: a `skip` must not skip twice because its acknowledgement was lost."""
        delivery, digest = message.delivery, hash((message.topic, message.payload))
        if delivery.is_redelivery and self._obeyed.get(delivery.packet_id) == digest:
            return True
        if delivery.qos > 0:
            self._obeyed.pop(delivery.packet_id, None)
            self._obeyed[delivery.packet_id] = digest
            if len(self._obeyed) > _MOST_OBEYED:
                del self._obeyed[next(iter(self._obeyed))]
        return False

    def _take_in(self, mqtt: MqttClient, requests: list[tuple[Message, str | None]]) -> None:
        now_s = time.monotonic()
        judged = [self._admission.judge(message, priority, now_s) for message, priority in requests]
        verdicts = iter(self._keep(mqtt, [entry for entry in judged if isinstance(entry, Entry)]))
        _acknowledge(mqtt, [message for message, _ in requests])
        for (message, _), entry in zip(requests, judged, strict=True):
            if isinstance(entry, Entry):
                self._answer(mqtt, entry, next(verdicts))
            else:
                self._refuse(mqtt, message, entry)

    def _keep(self, mqtt: MqttClient, entries: Sequence[Entry]) -> list[Verdict]:
        """Make what has ended and these durable in one commit; publish the former, judge the latter."""
        results, self._ended = self._ended, []
        if not results and not entries:
            return []
        outcomes, verdicts = self._ledger.call(lambda journal: _keep_both(journal, results, entries))
        for outcome in outcomes:
            result = outcome.result
            log.info("%s: %s%s", result.id, result.status, f" ({result.code})" if result.code else "")
            self._answers.send_terminal(mqtt, outcome)
        return verdicts

    def _answer(self, mqtt: MqttClient, entry: Entry, verdict: Verdict) -> None:
        match verdict:
            case Accepted():
                wants_stage = entry.parsed.request.ack == "accepted"
                reply_to = entry.reply_to if wants_stage else None
                self._answers.tell(mqtt, verdict.id, Stage.ACCEPTED, reply_to)
                self._emit(verdict)
            case PartArrived():
                self._emit(verdict)
            case Duplicate(id=known_id, result=None):
                log.info("%s: a duplicate", known_id)
                stage = self._stage_of(known_id) or Stage.QUEUED
                self._answers.send_stage(mqtt, known_id, stage, entry.reply_to)
            case Duplicate(id=known_id, result=Result() as result):
                log.info("%s: a duplicate", known_id)
                self._answers.send_result(mqtt, result, entry.reply_to)
            case Refused(id=used_id, code=code, reason=reason):
                log.warning("%s: refused %s: %s", used_id, code, reason)
                result = self._answers.rejection(used_id, Rejected(code, reason))
                self._answers.send_result(mqtt, result, entry.reply_to)

    def _refuse(self, mqtt: MqttClient, message: Message, rejected: Rejected) -> None:
        log.warning("mqtt: refused %s on %s: %s", rejected.code, message.topic, rejected.reason)
        result = self._answers.rejection(rejected.id or uuid.uuid4().hex, rejected)
        self._answers.send_result(mqtt, result, message.reply_to)


def _keep_both(
    journal: Journal, results: Sequence[Result], entries: Sequence[Entry]
) -> tuple[list[Outcome], list[Verdict]]:
    now = current_time()
    with journal.together():
        return journal.finish(results, now), journal.accept(entries, now)


def _is_clearing(message: Message) -> bool:
    """Somebody removes what was retained on this topic: nothing is asked for."""
    return message.is_retained and not message.payload


def _acknowledge(mqtt: MqttClient, messages: list[Message]) -> None:
    for message in messages:
        if message.delivery.qos > 0:
            mqtt.ack(message.delivery)
