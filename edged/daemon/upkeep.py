"""What the passing of time asks for: heat, hangs, quiet hours, the watchdog."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from edged.config.schema import Config
from edged.core import events
from edged.core.governor import next_level, threads_at
from edged.core.health import Health
from edged.core.quiet_hours import is_quiet
from edged.daemon.records import Records, Vitals
from edged.daemon.reporter import Reporter
from edged.daemon.stage import Stage
from edged.io.mqtt import MqttClient
from edged.io.systemd import ServiceManager
from edged.io.thermal import cpu_temperature_c, throttle_counts
from edged.protocol.state import ThrottleCounters
from edged.workers.threads import configured_threads

log = logging.getLogger(__name__)

_HEALTH_EVERY_S = 60.0
# How long each may be silent before it hangs. The synth beats once a sentence: the longest takes 20 s on
# the slowest board when it is hot. The player beats every second. A DNS time-out blocks a connect for 30 s.
_SILENCE_S = {"synth": 60.0, "player": 10.0, "mqtt": 60.0}
# ... and until it is ready. Compiling the voice for the first time takes a minute on the slowest board,
# five times that is allowed; a device opens within half a second, or hangs.
_WARMING_S = {"synth": 300.0, "player": 15.0, "mqtt": 60.0}


def new_health() -> Health:
    """Who has to give signs of life, and how often."""
    return Health(_SILENCE_S, _WARMING_S)


class Upkeep:
    """`tick` is called twice a second; `emit` takes events for the scheduler."""

    def __init__(
        self,
        config: Config,
        health: Health,
        stage: Stage,
        records: Records,
        vitals: Vitals,
        reporter: Reporter,
        service: ServiceManager,
        emit: Callable[[events.Event], None],
    ) -> None:
        self._config = config
        self._health = health
        self._stage = stage
        self._records = records
        self._vitals = vitals
        self._reporter = reporter
        self._service = service
        self._emit = emit
        self._is_ready_told = False
        self._is_quiet = False
        self._health_due_s = 0.0
        self._temperature_due_s = 0.0

    def tick(self, mqtt: MqttClient) -> None:
        """Do what is due."""
        now_s = time.monotonic()
        self._watch(mqtt, now_s)
        if now_s >= self._temperature_due_s:
            self._temperature_due_s = now_s + self._config.thermal.poll_s
            self._measure_heat()
        self.look_at_the_clock()
        self._emit(events.Tick())
        if now_s >= self._health_due_s:
            self._health_due_s = now_s + _HEALTH_EVERY_S
            self._reporter.publish_health(mqtt)
        self._reporter.publish_health_if_changed(mqtt)

    def look_at_the_clock(self) -> None:
        """Tell the scheduler when the quiet hours begin and end."""
        local = time.localtime()
        quiet = is_quiet(self._config.queue.quiet_hours, local.tm_hour * 60 + local.tm_min)
        if quiet != self._is_quiet:
            self._is_quiet = quiet
            log.info("quiet hours %s", "begin" if quiet else "end")
            self._emit(events.QuietHours(quiet))

    def apply_heat_to_threads(self) -> None:
        """Tell the synth how many threads this heat allows; it knows nothing of it when it starts."""
        cool = configured_threads(self._config.threads)
        self._stage.set_threads(threads_at(self._vitals.level, cool))

    def _watch(self, mqtt: MqttClient, now_s: float) -> None:
        """Kill a child that hangs; feed the watchdog only when everything is seen to work."""
        if mqtt.is_alive():
            self._health.heartbeat("mqtt", now_s - mqtt.silent_s())
        report = self._health.report(now_s)
        for stuck in report.stuck:
            log.error("%s hangs: no heartbeat for %.0f s", stuck.worker, stuck.silent_s)
            if stuck.worker != "mqtt":
                self._stage.kill(stuck.worker)
        if report.alive:
            self._service.watchdog()
        if not self._is_ready_told and not report.warming:
            self._is_ready_told = True
            self._service.ready(self._records.status_line(self._records.state(), mqtt))

    def _measure_heat(self) -> None:
        vitals = self._vitals
        if counts := throttle_counts():
            vitals.throttled = ThrottleCounters(core=counts[0], package=counts[1])
        vitals.temperature_c = cpu_temperature_c()
        level = next_level(self._config.thermal, vitals.level, vitals.temperature_c)
        if level == vitals.level:
            return
        log.warning("thermal: %s -> %s (%s °C)", vitals.level.label, level.label, vitals.temperature_c)
        vitals.level = level
        self.apply_heat_to_threads()
        self._emit(events.ThermalChanged(level))
