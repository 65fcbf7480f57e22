#!/bin/sh
# Installs what the tests of docs/examples need beyond edged's own tools. Idempotent.
set -eu

case "${1:-}" in
    -h | --help)
        cat <<'HELP'
usage: tests/integration/examples/install_toolchains.sh

Installs the Debian packages of a Java and a C# (Mono) toolchain and of npm (as root, or with sudo), and
into .venv-examples in the repository root: ESPHome, and Node-RED with the Node.js it asks for. About
700 MB; nothing of it is needed to run edged. Afterwards:

  .venv/bin/pytest -m toolchain tests/integration/examples

environment:
  PYTHON   the interpreter for ESPHome, 3.11 or later (default: python3)
HELP
        exit 0
        ;;
    ?*)
        echo "install_toolchains.sh: unknown argument: $1 (try --help)" >&2
        exit 64
        ;;
esac

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
tools=$(CDPATH='' cd -- "$here/../../.." && pwd)/.venv-examples

as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
# where Node.js comes from elsewhere it brings its own npm, and Debian's npm does not go with it
npm=npm
! command -v npm >/dev/null || npm=
$as_root apt-get install --yes --no-install-recommends \
    default-jdk-headless libmqtt-client-java mono-mcs mono-runtime $npm

[ -x "$tools/bin/python" ] || "${PYTHON:-python3}" -m venv "$tools"
"$tools/bin/python" -m pip --quiet --disable-pip-version-check install esphome==2026.6.*
npm install --prefix "$tools" --no-fund --no-audit --silent node-red@5 node@22
echo "install_toolchains.sh: $tools is ready"
