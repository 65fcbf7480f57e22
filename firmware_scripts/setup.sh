#!/bin/sh
# Makes a clone ready to run: Debian packages, a virtual environment in .venv with the locked
# dependencies, and a configuration for running from the clone. Idempotent; does nothing twice.
set -eu

usage() {
    cat <<'TXT'
usage: setup.sh [--dev]
  --dev   also what the checks need (pytest, ruff, mypy, PulseAudio, systemd-nspawn, strace)
Example: ./firmware_scripts/setup.sh && .venv/bin/edged doctor
TXT
}

dev=no
case ${1:-} in
    '') ;;
    --dev) dev=yes ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install_packages() {
    missing=
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
            missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    echo "installing Debian packages:$missing"
    as_root apt-get update -q
    # Word splitting is wanted: one argument a package. A broker of the clone is started on loopback by
    # quickstart.sh; Debian's own mosquitto service stays as it is.
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
}

install_python_packages() {
    lock=$1
    stamp=.venv/.installed-$lock # one each: the packages of the checks include the others
    wanted=$(cat "$lock" pyproject.toml | sha256sum)
    if [ -x .venv/bin/edged ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted $root" ]; then return 0; fi
    # a virtual environment knows its own path: a moved clone needs a new one
    [ "$(cat .venv/.root 2>/dev/null)" = "$root" ] || rm -rf .venv
    [ -x .venv/bin/python ] || /usr/bin/python3 -m venv .venv
    echo "$root" >.venv/.root
    echo "installing Python packages into .venv (700 MB, some minutes)"
    # PEP 517: pyalsaaudio comes as source, and pip's old way of building it is deprecated
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --use-pep517 --require-hashes -r "$lock"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
    echo "$wanted $root" >"$stamp"
}

write_config() {
    mkdir -p .venv/etc/conf.d out/run models
    cat >.venv/etc/edged.yaml <<'YAML'
# Running from a clone: everything stays inside it. Written by firmware_scripts/setup.sh.
paths:
  models_dir: ../../models
  voices_dir: ../../voices
  state_dir: ../../out/state
  cache_dir: ../../out/cache
  runtime_dir: ../../out/run
YAML
}

install_packages python3 python3-venv python3-dev gcc libasound2-dev libasound2-plugins alsa-utils \
    mosquitto mosquitto-clients
lock=requirements.lock
if [ "$dev" = yes ]; then
    install_packages pulseaudio pulseaudio-utils systemd systemd-container strace util-linux
    lock=requirements-dev.lock
fi
install_python_packages "$lock"
write_config
