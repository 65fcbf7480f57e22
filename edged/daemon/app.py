"""The composition root: builds all, starts in order, runs the loop, stops in reverse."""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import logging
import re
import signal
import socket
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

from edged.config.loader import load_config
from edged.config.schema import Config
from edged.core import events
from edged.core.governor import next_level, threads_at
from edged.core.health import Health
from edged.core.scheduler import Scheduler
from edged.daemon.intake import Intake, current_time
from edged.daemon.ledger import Ledger
from edged.daemon.reporter import Reporter
from edged.daemon.stage import Stage
from edged.errors import BusyError, ConfigError, DaemonUnreachableError, EdgedError
from edged.io.mqtt import (
    Delivered,
    LinkDown,
    LinkUp,
    Message,
    MqttClient,
    MqttEvent,
    SubscriptionRefused,
    Will,
)
from edged.io.status_socket import read_status, serve_status
from edged.io.systemd import ServiceManager
from edged.io.thermal import cpu_temperature_c
from edged.protocol.topics import Topics
from edged.workers.threads import configured_threads

log = logging.getLogger("edged")

_TICK_S = 0.5
_HEALTH_EVERY_S = 60.0
_STOP_S = 5.0  # a fade takes 15 ms; a device that hangs longer than this is left to the kernel
# How long each may be silent before it hangs. The synth beats once a sentence: the longest takes 20 s on
# the slowest board when it is hot. The player beats every second. A DNS time-out blocks a connect for 30 s.
_SILENCE_S = {"synth": 60.0, "player": 10.0, "mqtt": 60.0}
# ... and until it is ready. Compiling the voice for the first time takes a minute on the slowest board,
# five times that is allowed; a device opens within half a second, or hangs.
_WARMING_S = {"synth": 300.0, "player": 15.0, "mqtt": 60.0}


def run_daemon(config_path: Path | None) -> int:
    """Run until SIGTERM or SIGINT; SIGHUP reads the configuration again. Raises ConfigError, BusyError."""
    config = load_config(config_path)
    _refuse_to_be_second(config)
    logging.basicConfig(stream=sys.stderr, level=config.log.level.upper(), format="%(levelname)s %(message)s")
    faulthandler.enable()  # systemd's watchdog ends a hanging process with SIGABRT: say where it hung
    service = ServiceManager.from_environ()
    ledger = Ledger(config.paths.state_dir)
    try:
        while True:
            logging.getLogger().setLevel(config.log.level.upper())
            daemon = Daemon(config, ledger, service, config_path)
            asyncio.run(daemon.run())
            if daemon.has_crashed:
                return EdgedError.exit_status
            if daemon.next_config is None:
                return 0
            config = daemon.next_config
    finally:
        ledger.close()


def _refuse_to_be_second(config: Config) -> None:
    """Two daemons would fight over the journal, the device and the MQTT session."""
    try:
        read_status(config.paths.runtime_dir)
    except DaemonUnreachableError:
        return
    raise BusyError(
        f"another edged runs with runtime_dir {config.paths.runtime_dir}",
        "edged status; systemctl stop edged",
    )


def device_name(config: Config) -> str:
    """The configured device id, else the host name made a legal topic level."""
    return config.device.id or re.sub(r"[^A-Za-z0-9._-]", "-", socket.gethostname())[:64] or "edged"


class Daemon:
    """One configuration's life: from its start to the signal that ends it.

    `next_config` is set when it ended to be followed by another one (SIGHUP); what waits then is taken
    up from the journal by the follower. `has_crashed`: it ended because of a fault in itself; systemd
    starts it again and the journal knows what was accepted.
    """

    def __init__(
        self, config: Config, ledger: Ledger, service: ServiceManager, config_path: Path | None
    ) -> None:
        device = device_name(config)
        topics = Topics(config.mqtt.base_topic, device, config.device.groups)
        self.next_config: Config | None = None
        self.has_crashed = False
        self._config = config
        self._config_path = config_path
        self._ledger = ledger
        self._service = service
        self._health = Health(_SILENCE_S, _WARMING_S)
        self._scheduler = Scheduler(device, config.queue.max_waiting)
        self._stage = Stage(config, self._emit, self._health, self._before_sound)
        self._reporter = Reporter(config, device, topics, self._scheduler, self._stage, ledger, service)
        self._intake = Intake(
            device, topics, config.speech.max_text_chars, ledger, self._emit, self._scheduler.stage
        )
        will = Will(topics.state, self._reporter.offline().encode())
        self._mqtt = MqttClient(config.mqtt, f"edged-{device}", topics.filters, will, self._deliver)
        self._topics = topics
        self._events: deque[events.Event] = deque()
        self._is_draining = False
        self._arrived: list[Message] = []
        self._delivered: list[str] = []
        self._may_exit = asyncio.Event()
        self._is_ready_told = False
        self._health_due_s = 0.0
        self._temperature_due_s = 0.0
        self._loop: asyncio.AbstractEventLoop

    async def run(self) -> None:
        """Until SIGTERM, SIGINT or SIGHUP; afterwards both children are gone."""
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(self._crash)
        self._loop.add_signal_handler(signal.SIGTERM, self._stop)
        self._loop.add_signal_handler(signal.SIGINT, self._stop)
        self._loop.add_signal_handler(signal.SIGHUP, self._reload)
        stage = asyncio.create_task(self._stage.run())
        stage.add_done_callback(self._stage_ended)
        self._health.started("mqtt", time.monotonic())
        self._health.ready("mqtt", time.monotonic())
        self._mqtt.start()
        self._intake.recover(self._mqtt)
        status = await self._serve_status()
        try:
            while not self._may_exit.is_set():
                self._tick()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._may_exit.wait(), _TICK_S)
        finally:
            stage.cancel()
            await asyncio.wait([stage])
            if status is not None:
                status.close()
            if self.next_config is None:
                self._mqtt.retain(self._topics.state, self._reporter.offline().encode())
            await asyncio.to_thread(self._mqtt.stop)  # meanwhile the broker's last receipts are heard
            self._note_delivered()

    # --- events in, commands out -----------------------------------------------------------------

    def _emit(self, event: events.Event) -> None:
        """Feed the scheduler; an event that a command causes waits until the command is done."""
        self._events.append(event)
        if self._is_draining:
            return
        self._is_draining = True
        try:
            while self._events:
                self._handle(self._events.popleft())
        finally:
            self._is_draining = False
        self._reporter.publish_state(self._mqtt)

    def _handle(self, event: events.Event) -> None:
        self._note_faults(event)
        for command in self._scheduler.handle(event, current_time()):
            self._execute(command)

    def _execute(self, command: events.Command) -> None:
        match command:
            case events.StartJob():
                self._stage.start(command)
            case events.CancelSynth(id=job_id):
                self._stage.cancel_synth(job_id)
            case events.StopPlay(id=job_id):
                self._stage.stop_play(job_id)
            case events.Publish(result=result):
                vitals = self._reporter.vitals
                vitals.rtf = result.rtf if result.rtf is not None else vitals.rtf
                vitals.xruns += result.xruns
                self._intake.publish(self._mqtt, [command])
            case events.Exit():
                self._may_exit.set()

    def _before_sound(self, job_id: str) -> None:
        self._ledger.call(lambda journal: journal.mark_started(job_id))

    def _note_faults(self, event: events.Event) -> None:
        faults = self._reporter.vitals.faults
        match event:
            case events.WorkerUnavailable(worker=worker, reason=reason):
                if worker not in faults:
                    log.error("%s: %s", worker, reason)
                faults[worker] = reason
            case events.WorkerReady(worker=worker):
                faults.pop(worker, None)
                if worker == "synth":
                    self._apply_heat_to_threads()
                self._reporter.publish_info(self._mqtt)

    # --- from the MQTT thread --------------------------------------------------------------------

    def _deliver(self, event: MqttEvent) -> None:
        """Called on the network thread: hand over and return."""
        with contextlib.suppress(RuntimeError):  # the loop has just ended: the broker delivers again
            self._loop.call_soon_threadsafe(self._on_mqtt, event)

    def _on_mqtt(self, event: MqttEvent) -> None:
        match event:
            case Message():
                if not self._arrived:
                    self._loop.call_soon(self._take_arrived)
                self._arrived.append(event)
            case Delivered(receipt=request_id):
                self._delivered.append(request_id)
                return
            case LinkUp(is_resumed=is_resumed):
                self._ledger.call(lambda journal: journal.begin_session(is_resumed=is_resumed))
                self._reporter.vitals.faults.pop("mqtt", None)
                self._reporter.publish_health(self._mqtt)
                self._service.status(self._reporter.status_line(self._mqtt))
            case LinkDown(error=error):
                self._reporter.vitals.faults["mqtt"] = error.what
                self._service.status(self._reporter.status_line(self._mqtt))
            case SubscriptionRefused(filters=filters):
                self._reporter.vitals.faults["mqtt"] = f"the broker refuses {', '.join(filters)}"
        self._reporter.publish_state(self._mqtt)

    def _take_arrived(self) -> None:
        batch, self._arrived = self._arrived, []
        self._intake.receive(self._mqtt, batch)

    # --- time ------------------------------------------------------------------------------------

    def _tick(self) -> None:
        now_s = time.monotonic()
        self._watch(now_s)
        self._measure_heat(now_s)
        self._emit(events.Tick())
        self._note_delivered()
        if now_s >= self._health_due_s:
            self._health_due_s = now_s + _HEALTH_EVERY_S
            self._reporter.publish_health(self._mqtt)

    def _note_delivered(self) -> None:
        """Twice a second: one commit for all results that the broker has taken since."""
        if self._delivered:
            delivered, self._delivered = self._delivered, []
            self._intake.note_delivered(delivered)

    def _watch(self, now_s: float) -> None:
        """Kill a child that hangs; feed the watchdog only when everything is seen to work."""
        if self._mqtt.is_alive():
            self._health.heartbeat("mqtt", now_s - self._mqtt.silent_s())
        report = self._health.report(now_s)
        for stuck in report.stuck:
            log.error("%s hangs: no heartbeat for %.0f s", stuck.worker, stuck.silent_s)
            if stuck.worker != "mqtt":
                self._stage.kill(stuck.worker)
        if report.alive:
            self._service.watchdog()
        if not self._is_ready_told and not report.warming:
            self._is_ready_told = True
            self._service.ready(self._reporter.status_line(self._mqtt))

    def _measure_heat(self, now_s: float) -> None:
        if now_s < self._temperature_due_s:
            return
        self._temperature_due_s = now_s + self._config.thermal.poll_s
        vitals = self._reporter.vitals
        vitals.temperature_c = cpu_temperature_c()
        level = next_level(self._config.thermal, vitals.level, vitals.temperature_c)
        if level == vitals.level:
            return
        log.warning("thermal: %s -> %s (%s °C)", vitals.level.label, level.label, vitals.temperature_c)
        vitals.level = level
        self._apply_heat_to_threads()
        self._emit(events.ThermalChanged(level))
        self._reporter.publish_health(self._mqtt)
        self._service.status(self._reporter.status_line(self._mqtt))

    def _apply_heat_to_threads(self) -> None:
        cool = configured_threads(self._config.threads)
        self._stage.set_threads(threads_at(self._reporter.vitals.level, cool))

    # --- faults of our own -----------------------------------------------------------------------

    def _crash(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """An exception nobody expected: half a state is worth less than a restart."""
        log.critical("%s", context["message"], exc_info=context.get("exception"))
        self.has_crashed = True
        self._may_exit.set()

    def _stage_ended(self, stage: asyncio.Task[None]) -> None:
        if not stage.cancelled():
            message = "the supervisor of the children ended"
            self._crash(self._loop, {"message": message, "exception": stage.exception()})

    # --- signals ---------------------------------------------------------------------------------

    def _stop(self) -> None:
        self.next_config = None  # a stop outranks a reload that still waits
        self._reporter.vitals.is_stopping = True
        self._service.stopping("stopping")
        self._emit(events.Shutdown())
        self._loop.call_later(_STOP_S, self._may_exit.set)

    def _reload(self) -> None:
        """Read the configuration; a good one takes over when the current announcement has ended."""
        self._service.reloading()
        try:
            self.next_config = load_config(self._config_path)
        except ConfigError as error:
            log.error("reload refused, the old configuration stays in force:\n%s", error)
            self._service.ready(f"reload refused: {error.problems[0]}")
            return
        log.info("reload: the new configuration takes over after the current announcement")
        self._emit(events.Shutdown(is_graceful=True))

    async def _serve_status(self) -> asyncio.AbstractServer | None:
        try:
            return await serve_status(
                self._config.paths.runtime_dir, lambda: self._reporter.document(self._mqtt)
            )
        except OSError as error:
            log.warning("no status socket (edged status will not work): %s", error)
            return None
