#!/bin/sh
# Sets up a clone and runs every check: format, lint, types, then all tests against the real parts
# (mosquitto, libasound, systemd in a container, the installed voice).
set -eu

usage() {
    cat <<'TXT'
usage: check.sh [--quick] [PYTEST-ARGUMENT...]
  --quick   leave out what needs the model, a broker, ALSA or systemd
Example: ./firmware_scripts/check.sh -k journal
TXT
}

select='not network and not toolchain and not kernel'
case ${1:-} in
    -h | --help) usage; exit 0 ;;
    --quick) select='not model and not broker and not alsa and not systemd and not network and not toolchain and not kernel'; shift ;;
esac

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
./firmware_scripts/setup.sh --dev
.venv/bin/ruff format --check .
.venv/bin/ruff check .
.venv/bin/mypy
case $select in
    *'not model'*) ;;
    *)
        .venv/bin/edged model install kokoro
        ./benchmarks/setup-peers.sh
        ;;
esac
exec .venv/bin/python -m pytest -q -m "$select" "$@"
