"""The composition root: builds all, starts in order, runs the loop, stops in reverse."""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import logging
import signal
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from edged.config.loader import load_config
from edged.config.schema import Config
from edged.core import events
from edged.core.scheduler import Scheduler
from edged.daemon.commands import Commands
from edged.daemon.heard import Heard
from edged.daemon.identity import device_name
from edged.daemon.intake import Intake, current_time
from edged.daemon.ledger import Ledger
from edged.daemon.link import Link
from edged.daemon.records import Records, Vitals, recent_results
from edged.daemon.reporter import Reporter
from edged.daemon.settings import SettingsKeeper
from edged.daemon.stage import Stage
from edged.daemon.upkeep import Upkeep, new_health
from edged.errors import BusyError, ConfigError, DaemonUnreachableError, EdgedError
from edged.io.mqtt import Message, MqttClient, MqttEvent, Will
from edged.io.status_socket import read_status, serve_status
from edged.io.systemd import ServiceManager
from edged.io.templates import load_templates
from edged.protocol.command import Pause, SetMuted
from edged.protocol.result import Result
from edged.protocol.topics import Topics

log = logging.getLogger("edged")

_TICK_S = 0.5
_STOP_S = 5.0  # a fade takes 15 ms; a device that hangs longer than this is left to the kernel


def run_daemon(config_path: Path | None) -> int:
    """Run until SIGTERM or SIGINT; SIGHUP reads the configuration again. Raises ConfigError, BusyError."""
    config = load_config(config_path)
    _refuse_to_be_second(config)
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(message)s")
    faulthandler.enable()  # systemd's watchdog ends a hanging process with SIGABRT: say where it hung
    ledger = Ledger(config.paths.state_dir)
    try:
        lasting = Lasting(config_path, ledger, SettingsKeeper(ledger), ServiceManager.from_environ())
        daemon: Daemon | None = Daemon(config, lasting)
        while daemon is not None:
            asyncio.run(daemon.run())
            if daemon.has_crashed:
                return EdgedError.exit_status
            daemon = daemon.successor
        return 0
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


@dataclass(slots=True)
class Lasting:
    """What outlives a change of the configuration."""

    config_path: Path | None
    ledger: Ledger
    settings: SettingsKeeper
    service: ServiceManager
    heard: Heard = field(default_factory=Heard)
    results: deque[Result] = field(default_factory=recent_results)
    is_paused: bool = False


class Daemon:
    """One configuration's life: from its start to the signal that ends it.

    `successor` is the one of another configuration that is to follow (SIGHUP); it takes up from the journal
    what waits then. `has_crashed`: it ended because of a fault in itself; systemd starts it again and the
    journal knows what was accepted. Raises ConfigError when what the configuration names cannot be used.
    """

    def __init__(self, config: Config, lasting: Lasting) -> None:
        self.successor: Daemon | None = None
        self.has_crashed = False
        self._config = config
        self._lasting = lasting
        self._ledger = lasting.ledger
        self._service = lasting.service
        self._compose()
        self._events: deque[events.Event] = deque()
        self._is_draining = False
        self._is_state_due = False
        self._may_exit = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop

    def _compose(self) -> None:
        config, ledger, service = self._config, self._ledger, self._service
        settings, heard = self._lasting.settings, self._lasting.heard
        device = device_name(config)
        home = config.homeassistant
        birth_prefix = home.prefix if home.discovery else ""
        topics = Topics(config.mqtt.base_topic, device, config.device.groups, birth_prefix)
        loaded = load_templates(config.paths.templates_dir)
        templates = loaded.templates
        self._topics = topics
        self._health = health = new_health()
        self._scheduler = scheduler = Scheduler(device, config.queue, config.speech.max_text_chars)
        self._stage = stage = Stage(config, templates, settings, self._emit, health, self._before_sound)
        self._vitals = vitals = Vitals(results=self._lasting.results)
        self._records = records = Records(
            config, device, templates.names, vitals, scheduler, stage, settings, ledger
        )
        self._reporter = reporter = Reporter(records, topics, home, service)
        self._intake = intake = Intake(
            device, topics, config, templates, ledger, self._emit, scheduler.stage, self._obey
        )
        path = self._lasting.config_path
        self._commands = Commands(
            device, topics, path, intake, stage, settings, heard, self._emit, self._reload
        )
        self._link = Link(topics, ledger, intake, reporter, vitals.faults, self._publish_state_soon)
        self._upkeep = Upkeep(config, health, stage, records, vitals, reporter, service, self._emit)
        will = Will(topics.state, records.offline().encode())
        self._mqtt = MqttClient(config.mqtt, f"edged-{device}", topics.filters, will, self._deliver)
        for problem in loaded.problems:
            log.warning("templates: %s", problem)
        if loaded.problems:
            vitals.faults["templates"] = "; ".join(loaded.problems)

    async def run(self) -> None:
        """Until SIGTERM, SIGINT or SIGHUP; afterwards both children are gone."""
        logging.getLogger().setLevel(self._config.log.level.upper())
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
        self._reporter.publish_info(self._mqtt)
        self._restore()
        status = await self._serve_status()
        try:
            while not self._may_exit.is_set():
                self._tick()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._may_exit.wait(), _TICK_S)
        finally:
            self._lasting.is_paused = self._scheduler.is_paused
            await self._commands.close()
            stage.cancel()
            await asyncio.wait([stage])
            if status is not None:
                status.close()
            if self.successor is None or self.successor._topics.state != self._topics.state:
                self._mqtt.retain(self._topics.state, self._records.offline().encode())
            self._intake.publish(self._mqtt)
            await asyncio.to_thread(self._mqtt.stop)  # meanwhile the broker's last receipts are heard
            self._link.note_delivered()

    def _restore(self) -> None:
        """As it was left: first whether it may speak, then what it has to say."""
        if self._lasting.is_paused:
            self._emit(Pause())
        if self._lasting.settings.now.muted:
            self._emit(SetMuted(True))
        self._upkeep.look_at_the_clock()
        self._intake.recover(self._mqtt)

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
        self._publish_state_soon()

    def _publish_state_soon(self) -> None:
        """Once for all that happens in this turn of the loop."""
        if not self._is_state_due:
            self._is_state_due = True
            self._loop.call_soon(self._publish_state)

    def _publish_state(self) -> None:
        self._is_state_due = False
        self._reporter.publish_state(self._mqtt)

    def _handle(self, event: events.Event) -> None:
        self._note_faults(event)
        for command in self._scheduler.handle(event, current_time()):
            self._lasting.heard.note(command)
            self._execute(command)

    def _execute(self, command: events.Command) -> None:
        match command:
            case events.StartJob():
                self._stage.start(command)
            case events.AddText(id=job_id, text=text, is_last=is_last):
                self._stage.add_text(job_id, text, is_last=is_last)
            case events.CancelSynth(id=job_id):
                self._stage.cancel_synth(job_id)
            case events.StopPlay(id=job_id):
                self._stage.stop_play(job_id)
            case events.PausePlay(id=job_id):
                self._stage.pause(job_id)
            case events.ResumePlay(id=job_id):
                self._stage.resume(job_id)
            case events.Tell(id=request_id, stage=stage):
                self._intake.tell(self._mqtt, request_id, stage)
            case events.Publish(result=result):
                self._vitals.note(result)
                self._intake.end(result)
                self._loop.call_soon(self._intake.publish, self._mqtt)  # all of this turn at once
            case events.Exit():
                self._may_exit.set()

    def _before_sound(self, job_id: str) -> None:
        self._ledger.call(lambda journal: journal.mark_started(job_id))

    def _note_faults(self, event: events.Event) -> None:
        faults = self._vitals.faults
        match event:
            case events.WorkerUnavailable(worker=worker, reason=reason):
                if worker not in faults:
                    log.error("%s: %s", worker, reason)
                faults[worker] = reason
            case events.WorkerReady(worker=worker):
                faults.pop(worker, None)
                if worker == "synth":
                    self._upkeep.apply_heat_to_threads()
                self._reporter.publish_info(self._mqtt)

    # --- from the MQTT thread --------------------------------------------------------------------

    def _deliver(self, event: MqttEvent) -> None:
        """Called on the network thread: hand over and return."""
        with contextlib.suppress(RuntimeError):  # the loop has just ended: the broker delivers again
            self._loop.call_soon_threadsafe(self._link.hear, self._mqtt, event)

    def _obey(self, verb: str, message: Message) -> None:
        self._commands.obey(self._mqtt, verb, message)
        self._publish_state_soon()

    # --- time ------------------------------------------------------------------------------------

    def _tick(self) -> None:
        self._ledger.tend()
        self._upkeep.tick(self._mqtt)
        self._link.note_delivered()

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
        self.successor = None  # a stop outranks a reload that still waits
        self._vitals.is_stopping = True
        self._service.stopping("stopping")
        self._emit(events.Shutdown())
        self._loop.call_later(_STOP_S, self._may_exit.set)

    def _reload(self) -> str:
        """Read the configuration; a good one takes over when the current announcement has ended.

        Gives what is wrong with a bad one, which changes nothing.
        """
        if self._vitals.is_stopping:
            return "edged is stopping"
        self._service.reloading()
        try:
            self.successor = Daemon(load_config(self._lasting.config_path), self._lasting)
        except ConfigError as error:
            log.error("reload refused, the old configuration stays in force:\n%s", error)
            self._service.ready(f"reload refused: {error.problems[0]}")
            return "; ".join(error.problems)
        log.info("reload: the new configuration takes over after the current announcement")
        self._emit(events.Shutdown(is_graceful=True))
        return ""

    async def _serve_status(self) -> asyncio.AbstractServer | None:
        try:
            return await serve_status(
                self._config.paths.runtime_dir, lambda: self._records.document(self._mqtt)
            )
        except OSError as error:
            log.warning("no status socket (edged status will not work): %s", error)
            return None
