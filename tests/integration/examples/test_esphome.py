"""The ESPHome configuration: checked and turned into C++ by ESPHome. No board is at hand to run it on."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.integration.examples.snippets import CALL, pasted, tool

pytestmark = pytest.mark.toolchain

_COMPILE_S = 300.0  # ESPHome looks at every component there is
SECRETS = "wifi_ssid: site\nwifi_password: long enough\nmqtt_user: kiosk\nmqtt_password: secret\n"


def test_esphome_takes_it(tmp_path: Path) -> None:
    """It is valid and becomes a program, which publishes the fields that the documentation says."""
    source = pasted("ticket_call.esphome.yaml", tmp_path, 1883)
    (tmp_path / "secrets.yaml").write_text(SECRETS)
    command = [tool("esphome"), "compile", "--only-generate", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_COMPILE_S)
    assert done.returncode == 0, done.stderr
    program = next(tmp_path.glob(".esphome/build/*/src/main.cpp")).read_text()
    assert 'set_topic(ESPHOME_F("edged/board/speak"))' in program
    assert set(re.findall(r'root\["(\w+)"\]\S* =', program)) == {"id", *CALL}
    assert set(re.findall(r'root\["vars"\]\["(\w+)"\] =', program)) == set(CALL["vars"])
