#!/bin/sh
# Install edged from this clone as a system service.
set -eu
umask 022 # the service user must be able to read what root installs

usage() {
    cat <<'EOF'
usage: firmware_scripts/install.sh [--no-model] [--keep-venv]

Installs edged from this clone as the service edged.service:
  /opt/edged/venv                     Python environment, made by /usr/bin/python3
  /usr/local/bin/edged                the command
  /etc/edged/edged.yaml               configuration; an existing one is kept
  /etc/edged/templates                announcement templates; an example to copy
  /etc/systemd/system/edged.service   the unit
  /var/lib/edged/models               the voice
  /var/lib/edged/clips                recordings for announcements

  --no-model    do not fetch and convert the default voice
  --keep-venv   leave /opt/edged/venv as it is (only units and configuration are renewed)
  --help        this text

Run it again after `git pull` to upgrade. Needs root, and network unless both options are given.
With SYSROOT=DIR the files are only laid out below DIR: no packages, no Python environment, no voice and
nothing enabled; run the script on the board itself for those.

examples:
  sudo firmware_scripts/install.sh
  SYSROOT=/mnt/image firmware_scripts/install.sh
EOF
}

say() { printf 'install: %s\n' "$*"; }

die() {
    printf 'install: %s\n' "$*" >&2
    exit 1
}

CLONE=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
SYSROOT=${SYSROOT:-}
PREFIX=/opt/edged
VENV=$PREFIX/venv
STATE=/var/lib/edged
MODEL=yes
KEEP_VENV=no

for option in "$@"; do
    case $option in
    --no-model) MODEL=no ;;
    --keep-venv) KEEP_VENV=yes ;;
    -h | --help) usage && exit 0 ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
done

# put MODE FILE TARGET: install one file below SYSROOT, and say so if it changed.
put() {
    if cmp -s "$2" "$SYSROOT$3"; then return; fi
    install -D -m "$1" "$2" "$SYSROOT$3"
    say "wrote $SYSROOT$3"
}

install_files() {
    put 644 "$CLONE/systemd/edged.service" /etc/systemd/system/edged.service
    put 644 "$CLONE/systemd/sysusers.d/edged.conf" /etc/sysusers.d/edged.conf
    install -d "$SYSROOT/etc/edged" "$SYSROOT/etc/edged/conf.d"
    if [ -e "$SYSROOT/etc/edged/edged.yaml" ]; then
        say "kept $SYSROOT/etc/edged/edged.yaml"
    else
        put 644 "$CLONE/config/edged.yaml" /etc/edged/edged.yaml
    fi
    # another ending than .yaml: it is there to be read and copied
    put 644 "$CLONE/config/templates/example.yaml" /etc/edged/templates/example.yaml.txt
    install -d "$SYSROOT/usr/local/bin"
    ln -sfn "$VENV/bin/edged" "$SYSROOT/usr/local/bin/edged"
}

# pyalsaaudio comes as source: a compiler and ALSA's headers are needed once. alsa-utils for `aplay -L`.
install_packages() {
    missing=
    for package in python3-venv python3-dev gcc libc6-dev libasound2-dev alsa-utils; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    say "installing$missing"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q
    # shellcheck disable=SC2086 # a list of words
    apt-get install -q -y --no-install-recommends $missing
}

pip_install() {
    "$VENV/bin/pip" install -q --disable-pip-version-check "$@" ||
        die "pip has failed (see above). Check the network and run this again; what is installed is kept"
}

# The locked dependencies, then the program, built from a copy: root must not leave build folders in
# somebody's clone.
install_program() {
    /usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        die "/usr/bin/python3 is older than 3.11: Debian 12 or newer is needed"
    [ -x "$VENV/bin/pip" ] || /usr/bin/python3 -m venv "$VENV"
    pip_install --use-pep517 --require-hashes -r "$CLONE/requirements.lock"
    source=$(mktemp -d)
    trap 'rm -rf "$source"' EXIT
    cp -R "$CLONE/edged" "$CLONE/pyproject.toml" "$CLONE/README.md" "$CLONE/LICENSE" "$source"
    # forced: the version may be the same and the program another
    pip_install --no-deps --force-reinstall "$source"
    say "$VENV holds $("$VENV/bin/edged" --version)"
}

# As the service user: what it creates must be its own. A voice the clone already has is taken over;
# fetching and converting it takes minutes.
install_model() {
    if [ -d "$CLONE/models/kokoro" ] && [ ! -d $STATE/models/kokoro ]; then
        cp -R "$CLONE/models/kokoro" $STATE/models
        chown -R edged:edged $STATE/models/kokoro
    fi
    say "installing the default voice"
    (cd $STATE && runuser -u edged -- env HOME=$STATE "$VENV/bin/edged" model install kokoro)
}

enable_service() {
    systemctl enable -q edged.service
    [ -d /run/systemd/system ] || return 0 # no systemd here: a chroot
    systemctl daemon-reload
    systemctl try-restart edged.service
}

next_steps() {
    cat <<EOF
install: done. Next:
  1. /etc/edged/edged.yaml: mqtt.host, audio.device (\`aplay -L\` lists them); check: edged config check
  2. broker's password, if it has one: sudo install -m 600 /dev/stdin /etc/edged/mqtt-password
  3. sudo systemctl restart edged; systemctl status edged; edged doctor
EOF
}

if [ -n "$SYSROOT" ]; then
    install_files
    say "laid out below $SYSROOT; run this script on the board for Python environment and voice"
    exit 0
fi

[ "$(id -u)" = 0 ] || die "needs root: sudo $0 $*"
if [ $KEEP_VENV = no ]; then
    install_packages
    install_program
elif [ ! -x "$VENV/bin/edged" ]; then
    die "--keep-venv: there is no $VENV/bin/edged to keep"
fi
install_files
systemd-sysusers /etc/sysusers.d/edged.conf
install -d -o edged -g edged -m 755 $STATE $STATE/models $STATE/clips
[ $MODEL = no ] || install_model
enable_service
next_steps
