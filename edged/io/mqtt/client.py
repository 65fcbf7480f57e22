"""The network thread: keeps one session with the broker alive.

Whatever the broker sends is translated to plain values and handed to `deliver`; what is to be sent is
queued and the thread is woken. So no other thread touches paho, nothing here waits for speech, and a
fault ends a connection, never the thread.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from edged.config.schema import MqttConfig
from edged.errors import BrokerError, EdgedError
from edged.io.broker_faults import unreachable
from edged.io.mqtt.back_off import BackOff
from edged.io.mqtt.events import Delivery, LinkDown, MqttEvent, Will
from edged.io.mqtt.link import Link
from edged.io.mqtt.outbox import Outgoing
from edged.io.mqtt.waker import Waker
from edged.protocol.state import MqttCounters

log = logging.getLogger(__name__)

_TURN_S = 1.0  # the thread shows signs of life at least this often
_STOP_S = 2.0
_FAREWELL_S = 1.0


class MqttClient:
    """Keeps one session with the broker alive, from `start` to `stop`.

    `deliver` is called on the network thread and must only hand over. Each Message with QoS 1 must be
    answered by `ack` once it is safe. `will.topic` is the device's retained state: a state there that is
    not ours is a rival's. Raises ConfigError when the password or a certificate cannot be read.
    """

    def __init__(
        self,
        config: MqttConfig,
        client_id: str,
        filters: tuple[str, ...],
        will: Will,
        deliver: Callable[[MqttEvent], None],
    ) -> None:
        self._config = config
        self._state_topic = will.topic
        self._deliver = deliver
        self._link = Link(config, client_id, filters, will, deliver)
        self._back_off = BackOff()
        self._thread = threading.Thread(target=self._run, name="mqtt", daemon=True)
        self._stopping = threading.Event()
        self._waker = Waker()
        self._last_turn_s = time.monotonic()
        self._told = ""

    # --- for the callers ---

    def start(self) -> None:
        """Connect, and from then on keep connected."""
        self._thread.start()

    def stop(self) -> None:
        """Send what is queued if the broker listens, say goodbye (no will), end. Takes 2 s at most."""
        self._stopping.set()
        self._waker.wake()
        self._thread.join(_STOP_S)
        if self._thread.is_alive():
            log.warning("mqtt: the network thread is stuck in a connect and is left behind")
            return
        self._waker.close()

    def ack(self, delivery: Delivery) -> None:
        """The message is safe. Dropped when its connection is gone: the broker will send it again."""
        self._link.inbox.acknowledge(delivery)
        self._waker.wake()

    def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        expiry_s: int | None = None,
        correlation: bytes | None = None,
        receipt: str | None = None,
    ) -> None:
        """Publish with QoS 1, now or when the broker is back; the oldest give way when too many wait.

        With a `receipt`, Delivered is told when the broker has it.
        """
        outgoing = Outgoing(topic, payload, expiry_s=expiry_s, correlation=correlation, receipt=receipt)
        self._link.outbox.put(outgoing)
        self._waker.wake()

    def tell(self, topic: str, payload: bytes, *, correlation: bytes | None = None) -> None:
        """Publish with QoS 0, now or never."""
        self._link.outbox.put_live(Outgoing(topic, payload, qos=0, correlation=correlation))
        self._waker.wake()

    def retain(self, topic: str, payload: bytes) -> None:
        """Publish with QoS 1, retained, and again after every reconnect; only the newest counts."""
        if topic == self._state_topic:
            self._link.rivals.published(payload)
        self._link.outbox.put_retained(topic, payload)
        self._waker.wake()

    @property
    def is_up(self) -> bool:
        """The broker has accepted us and has not gone since."""
        return self._link.is_up

    @property
    def counters(self) -> MqttCounters:
        """For the health record."""
        return MqttCounters(
            connects=self._link.connects,
            received=self._link.received,
            published=self._link.published,
            dropped=self._link.outbox.dropped,
            stale_acks=self._link.inbox.stale_acks,
        )

    def is_alive(self) -> bool:
        """The network thread runs."""
        return self._thread.is_alive()

    def silent_s(self) -> float:
        """How long ago the network thread last turned its loop: about 1 s, or the length of a connect."""
        return time.monotonic() - self._last_turn_s

    # --- the network thread ---

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._keep_connected()
            except Exception:  # the receiver of events failed even at the news that it had failed
                log.exception("mqtt: the receiver of events does not work")
            self._pause()

    def _keep_connected(self) -> None:
        try:
            self._hold_connection()
        except EdgedError as error:  # a password or certificate file that cannot be read now
            self._went_down(BrokerError(error.what, error.hint))
        except OSError as error:
            self._link.rivals.broker_was_away()
            self._went_down(unreachable(self._config, error))
        except Exception as error:  # a packet that is none, or a receiver that fails: the connection ends
            log.exception("mqtt: the connection is given up")
            self._link.close()
            self._went_down(BrokerError(f"{self._config.host}:{self._config.port}: {error!r}"))

    def _hold_connection(self) -> None:
        self._link.open()
        while self._turn():
            if self._stopping.is_set():
                self._say_goodbye()
                return
        self._went_down(self._link.ended())

    def _turn(self) -> bool:
        self._last_turn_s = time.monotonic()
        return self._link.turn(self._waker, _TURN_S)

    def _say_goodbye(self) -> None:
        deadline_s = time.monotonic() + _FAREWELL_S
        while self._link.is_up and self._has_unsent() and time.monotonic() < deadline_s and self._turn():
            pass
        self._link.close()
        self._link.down()

    def _has_unsent(self) -> bool:
        return not (self._link.inbox.is_empty and self._link.outbox.is_empty)

    def _went_down(self, error: BrokerError) -> None:
        is_news = self._link.is_up or str(error) != self._told
        self._back_off.failed(self._link.down())
        self._told = str(error)
        if is_news:
            log.warning("mqtt: %s", error)
            self._deliver(LinkDown(error))
        self._link.tell_contest()

    def _pause(self) -> None:
        until_s = time.monotonic() + self._back_off.pause_s(is_slow=self._link.is_hopeless)
        while (left_s := until_s - time.monotonic()) > 0 and not self._stopping.wait(min(left_s, _TURN_S)):
            self._last_turn_s = time.monotonic()
