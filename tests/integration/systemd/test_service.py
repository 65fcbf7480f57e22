"""The daemon as a real systemd service: start, stop, reload, watchdog, crashes, bad configuration."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from benchmarks.clocked_sink import poll_until

from .conftest import CLONE, CONFIG
from .nspawn import Nspawn

pytestmark = pytest.mark.systemd

CONFIG_FILE = "/etc/edged/edged.yaml"
VOICE_FILE = "/etc/edged/conf.d/voice.yaml"
DROP_IN = "/run/systemd/system/edged.service.d/test.conf"
BROKER_CONFIG = "listener 1883 127.0.0.1\nallow_anonymous false\npassword_file /etc/broker/passwords\n"
LOGIN = ("-u", "controller", "-P", "controller-secret")
SYSTEM_USER = "edged"
DEADLINE_S = 30.0  # generous: the tests share small machines


class Service:
    """edged.service in the container, and the controller that talks to it."""

    def __init__(self, container: Nspawn) -> None:
        self.container = container

    def systemctl(self, verb: str) -> None:
        """`systemctl VERB edged`; raises when it fails."""
        self.container.run("systemctl", verb, "edged")

    def show(self, name: str) -> str:
        """One property of the unit."""
        return self.container.run("systemctl", "show", "-P", name, "edged").stdout.strip()

    @property
    def main_pid(self) -> int:
        """The daemon's process id; 0 while there is none."""
        return int(self.show("MainPID"))

    def child(self, worker: str) -> str:
        """The process id of `synth` or `player`, empty while there is none."""
        command = ["pgrep", "-P", str(self.main_pid), "-f", f"edged.workers.{worker}"]
        return self.container.run(*command, check=False).stdout.strip()

    def processes(self) -> set[str]:
        """Every process of the service user."""
        return set(self.container.run("pgrep", "-u", SYSTEM_USER, check=False).stdout.split())

    def kill(self, signal: str, pid: int | str) -> None:
        """Send a signal."""
        self.container.run("kill", f"-{signal}", str(pid))

    def write_config(self, extra: str = "") -> None:
        """The test's configuration, with the broker's login and `extra` lines."""
        self.container.write(CONFIG_FILE, f"{CONFIG}mqtt: {{username: board}}\n{extra}")

    def drop_in(self, text: str) -> None:
        """A local change of the unit."""
        self.container.write(DROP_IN, f"[Service]\n{text}\n")
        self.container.run("systemctl", "daemon-reload")

    def journal(self) -> str:
        """What the service has logged."""
        return self.container.run("journalctl", "-u", "edged", "-o", "cat", "--no-pager").stdout

    def status(self) -> dict[str, dict[str, object]]:
        """`edged status --json`."""
        document: dict[str, dict[str, object]] = json.loads(
            self.container.run("edged", "status", "--json").stdout
        )
        return document

    def result_of(self, text: str) -> dict[str, object]:
        """Ask for an announcement until its result is there (the same id is never spoken twice)."""
        request_id = f"test-{time.monotonic_ns()}"
        request = json.dumps({"id": request_id, "text": text})
        topics = ["-t", "edged/board/speak", "-e", f"edged/board/result/{request_id}"]
        command = ["mosquitto_rr", *LOGIN, "-q", "1", *topics, "-m", request, "-W", "4"]
        results: list[dict[str, object]] = []

        def answered() -> bool:
            said = self.container.run(*command, check=False).stdout
            results.append(json.loads(said or "{}"))
            return "status" in results[-1]  # asked again while it is being spoken: only a stage

        poll_until(answered, f"no result for {text!r}", DEADLINE_S)
        return results[-1]

    def assert_speaks(self) -> None:
        """An announcement is spoken to its end."""
        result = self.result_of("Number 12, please.")
        assert result["status"] == "finished", result


@pytest.fixture(scope="module")
def broker(container: Nspawn) -> None:
    """A mosquitto inside that lets nobody in without a password; edged's is a systemd credential."""
    container.write("/etc/broker/broker.conf", BROKER_CONFIG)
    container.run("touch", "/etc/broker/passwords")
    for user in ("board", "controller"):
        container.run("mosquitto_passwd", "-b", "/etc/broker/passwords", user, f"{user}-secret")
    container.run("chmod", "644", "/etc/broker/passwords")
    container.write("/etc/edged/mqtt-password", "board-secret\n", mode=0o600)
    container.run("systemd-run", "--unit=broker", "mosquitto", "-c", "/etc/broker/broker.conf")


@pytest.fixture
def service(container: Nspawn, broker: None) -> Iterator[Service]:
    """The installed service, not yet started; stopped and put back afterwards."""
    service = Service(container)
    service.write_config()
    yield service
    container.run("systemctl", "stop", "edged", check=False)
    container.run("systemctl", "reset-failed", "edged", check=False)
    container.run("rm", "-rf", DROP_IN, VOICE_FILE)
    container.run("sh", "-c", "rm -f /var/lib/edged/journal.sqlite*")
    container.run("systemctl", "daemon-reload")


@pytest.fixture
def running(service: Service) -> Service:
    """The service, started and with both children at work."""
    service.systemctl("start")
    poll_until(
        lambda: bool(service.child("synth") and service.child("player")), "not yet: both children", DEADLINE_S
    )
    return service


def test_start_returns_when_the_daemon_answers(service: Service) -> None:
    """READY means it: right after `systemctl start` the daemon can be asked, and `systemctl status` tells."""
    service.systemctl("start")
    assert service.status()["state"]["state"] in ("online", "warming", "degraded")
    assert service.show("ActiveState") == "active"
    text = service.show("StatusText")
    assert text
    assert f'Status: "{text}"' in service.container.run("systemctl", "status", "edged").stdout


def test_it_speaks_with_the_password_only_systemd_can_read(running: Service) -> None:
    """The broker refuses everybody without a password, and the file is root's: the credential works."""
    as_user = ["runuser", "-u", SYSTEM_USER, "--", "cat", "/etc/edged/mqtt-password"]
    assert running.container.run(*as_user, check=False).returncode != 0
    running.assert_speaks()


def test_it_runs_as_its_own_user_in_group_audio(running: Service) -> None:
    """No process of it is root, each may use the sound card."""
    audio = running.container.run("getent", "group", "audio").stdout.split(":")[2]
    for pid in (running.main_pid, running.child("synth"), running.child("player")):
        assert running.container.run("stat", "-c", "%U", f"/proc/{pid}").stdout.strip() == SYSTEM_USER
        groups = running.container.run("grep", "^Groups:", f"/proc/{pid}/status").stdout.split()
        assert audio in groups[1:]


def test_it_starts_without_a_broker(service: Service) -> None:
    """No broker, no network: the daemon is up, says so, and connects when there is one."""
    service.write_config("")
    service.container.run("systemctl", "stop", "broker")
    try:
        service.systemctl("start")
        assert service.show("ActiveState") == "active"
    finally:
        service.container.run("systemd-run", "--unit=broker", "mosquitto", "-c", "/etc/broker/broker.conf")
    service.assert_speaks()


def test_reload_keeps_the_process_and_the_speech(running: Service) -> None:
    """`systemctl reload` reads the configuration again without a restart."""
    pid = running.main_pid
    running.write_config("queue: {max_waiting: 7}\n")
    running.systemctl("reload")
    poll_until(lambda: running.show("ActiveState") == "active", "not yet: the reload ends", DEADLINE_S)
    assert (running.main_pid, running.show("NRestarts")) == (pid, "0")
    running.assert_speaks()


def test_reload_of_a_bad_configuration_changes_nothing(running: Service) -> None:
    """A typing mistake is told and the board goes on speaking with what it has."""
    pid = running.main_pid
    running.write_config("queue: {max_wating: 7}\n")
    running.systemctl("reload")
    poll_until(lambda: "max_wating" in running.journal(), "not yet: the mistake in the log", DEADLINE_S)
    assert (running.main_pid, running.show("ActiveState")) == (pid, "active")
    running.assert_speaks()


def test_the_watchdog_restarts_a_daemon_that_hangs(service: Service) -> None:
    """A main process that no longer runs is killed and replaced, its children with it."""
    service.drop_in("WatchdogSec=2\nRestartSec=0")
    service.systemctl("start")
    poll_until(lambda: len(service.processes()) >= 3, "not yet: main, synth and player", DEADLINE_S)
    old = service.processes()
    service.kill("STOP", service.main_pid)
    poll_until(lambda: service.show("NRestarts") == "1", "not yet: a restart by the watchdog", DEADLINE_S)
    service.assert_speaks()
    assert "Watchdog timeout" in service.journal()
    assert not old & service.processes()


def test_the_watchdog_leaves_a_working_daemon_alone(service: Service) -> None:
    """A daemon that speaks is fed in time, even with a short watchdog."""
    service.drop_in("WatchdogSec=2")
    service.systemctl("start")
    started_s = time.monotonic()
    while time.monotonic() - started_s < 5:  # two and a half watchdog times
        service.assert_speaks()
    assert service.show("NRestarts") == "0"


def test_a_killed_main_process_comes_back(running: Service) -> None:
    """SIGKILL of main: a new daemon with new children, nobody of the old ones is left."""
    running.assert_speaks()
    old = running.processes()
    running.kill("KILL", running.main_pid)
    poll_until(lambda: running.show("NRestarts") == "1", "not yet: a restart", DEADLINE_S)
    running.assert_speaks()
    assert not old & running.processes()


@pytest.mark.parametrize("worker", ["synth", "player"])
def test_a_killed_child_comes_back_without_a_restart(running: Service, worker: str) -> None:
    """SIGKILL of a child: main replaces it and speaks on."""
    running.assert_speaks()
    main, old = running.main_pid, running.child(worker)
    running.kill("KILL", old)
    poll_until(lambda: running.child(worker) not in ("", old), f"not yet: a new {worker}", DEADLINE_S)
    running.assert_speaks()
    assert (running.main_pid, running.show("NRestarts")) == (main, "0")
    assert old not in running.processes()


def test_stop_is_clean(running: Service) -> None:
    """SIGTERM ends all three processes by themselves: no SIGKILL, no time-out, no process left."""
    running.assert_speaks()
    running.systemctl("stop")
    assert (running.show("ActiveState"), running.show("Result")) == ("inactive", "success")
    assert "SIGKILL" not in running.journal().rpartition("Stopping")[2]
    assert running.processes() == set()


def test_a_configuration_error_is_final(service: Service) -> None:
    """Exit 78: no restart loop; `systemctl status` shows where the mistake is."""
    service.write_config("audio_device: hw:0\n")
    assert service.container.run("systemctl", "start", "edged", check=False).returncode != 0
    assert (service.show("ActiveState"), service.show("ExecMainStatus")) == ("failed", "78")
    assert service.show("NRestarts") == "0"
    shown = service.container.run("systemctl", "status", "edged", check=False).stdout
    assert "audio_device" in shown


@pytest.mark.model
def test_the_neural_voice_speaks_inside_the_sandbox(service: Service) -> None:
    """install.sh takes over the voice of the clone, without a network; OpenVINO runs as the service."""
    service.container.run(f"{CLONE}/firmware_scripts/install.sh", "--keep-venv", timeout_s=120)
    service.container.write(VOICE_FILE, "speech: {engine: kokoro}\n")
    service.container.run("systemctl", "start", "edged", timeout_s=300)
    result = service.result_of("请A015号到3号窗口。")
    assert (result["status"], result["voice"]) == ("finished", "zf_xiaobei")
