"""What is sent to controllers about their requests: results and stages, each where it is wanted."""

from __future__ import annotations

import time
from collections.abc import Iterable

from edged.io.mqtt import MqttClient
from edged.journal import KEEP_S, Outcome
from edged.protocol.request import Rejected
from edged.protocol.result import Code, Progress, ReplyTo, Result, Stage, Status
from edged.protocol.topics import Topics

_EXPIRY_S = int(KEEP_S)  # as long as the id is known for sure


class Answers:
    """Builds and publishes them for one device."""

    def __init__(self, device: str, topics: Topics) -> None:
        self._device = device
        self._topics = topics

    def rejection(self, request_id: str, rejected: Rejected) -> Result:
        """The result of a request that was not accepted."""
        return Result(
            id=request_id,
            status=Status.REJECTED,
            code=rejected.code,
            reason=rejected.reason,
            warnings=rejected.warnings,
            device=self._device,
            ts=time.time(),
        )

    def cut_off(self, request_id: str) -> Result:
        """The result of what sounded when the last process ended."""
        return Result(
            id=request_id,
            status=Status.FAILED,
            code=Code.INTERRUPTED_BY_RESTART,
            reason="edged was restarted",
            device=self._device,
            ts=time.time(),
        )

    def send_terminal(self, mqtt: MqttClient, outcome: Outcome) -> None:
        """The one result of an accepted request; Delivered is told when the broker has it."""
        result = outcome.result
        # the broker acknowledges in order: with this receipt it has them all
        self._send(mqtt, result.id, result.encode(), outcome.replies, receipt=result.id)

    def send_result(self, mqtt: MqttClient, result: Result, reply_to: ReplyTo | None) -> None:
        """A result that is sent to this one asker: of a refused request, or a known one once more."""
        self._send(mqtt, result.id, result.encode(), _replies(reply_to))

    def send_stage(self, mqtt: MqttClient, request_id: str, stage: Stage, reply_to: ReplyTo | None) -> None:
        """The answer to a duplicate whose first request still runs."""
        self._send(mqtt, request_id, self._progress(request_id, stage), _replies(reply_to))

    def tell(self, mqtt: MqttClient, request_id: str, stage: Stage, reply_to: ReplyTo | None = None) -> None:
        """A stage has been reached: for those who follow it live, and for who asked for it."""
        progress = self._progress(request_id, stage)
        mqtt.tell(self._topics.event, progress)
        if reply_to is not None:
            mqtt.publish(reply_to.topic, progress, expiry_s=_EXPIRY_S, correlation=reply_to.correlation)

    def _progress(self, request_id: str, stage: Stage) -> bytes:
        return Progress(id=request_id, stage=stage, device=self._device, ts=time.time()).encode()

    def _send(
        self,
        mqtt: MqttClient,
        request_id: str,
        payload: bytes,
        replies: Iterable[ReplyTo],
        receipt: str | None = None,
    ) -> None:
        for reply_to in replies:
            mqtt.publish(reply_to.topic, payload, expiry_s=_EXPIRY_S, correlation=reply_to.correlation)
        mqtt.publish(self._topics.result(request_id), payload, expiry_s=_EXPIRY_S, receipt=receipt)


def _replies(reply_to: ReplyTo | None) -> tuple[ReplyTo, ...]:
    return () if reply_to is None else (reply_to,)
