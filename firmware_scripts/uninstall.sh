#!/bin/sh
# Remove what install.sh has installed.
set -eu

usage() {
    cat <<'EOF'
usage: firmware_scripts/uninstall.sh [--purge]

Stops and removes the service, the command and the Python environment. Configuration (/etc/edged), voices
and journal (/var/lib/edged) stay.

  --purge   remove those, the cache, drop-ins and the user `edged` too
  --help    this text

Needs root. With SYSROOT=DIR only the files below DIR are removed.

examples:
  sudo firmware_scripts/uninstall.sh
  sudo firmware_scripts/uninstall.sh --purge
EOF
}

say() { printf 'uninstall: %s\n' "$*"; }

SYSROOT=${SYSROOT:-}
PURGE=no

for option in "$@"; do
    case $option in
    --purge) PURGE=yes ;;
    -h | --help) usage && exit 0 ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
done

# remove PATH...: delete below SYSROOT, and say so if it was there.
remove() {
    for path in "$@"; do
        [ -e "$SYSROOT$path" ] || [ -L "$SYSROOT$path" ] || continue
        rm -rf -- "$SYSROOT$path"
        say "removed $SYSROOT$path"
    done
}

# Without a unit (a second run) there is nothing to stop.
stop_service() {
    [ -e /etc/systemd/system/edged.service ] || return 0
    if [ -d /run/systemd/system ]; then
        systemctl disable -q --now edged.service
    else
        systemctl disable -q edged.service
    fi
}

if [ -z "$SYSROOT" ]; then
    if [ "$(id -u)" != 0 ]; then
        printf 'uninstall: needs root: sudo %s %s\n' "$0" "$*" >&2
        exit 1
    fi
    stop_service
fi

remove /etc/systemd/system/edged.service /usr/local/bin/edged /opt/edged
if [ $PURGE = yes ]; then
    remove /etc/systemd/system/edged.service.d /etc/edged /var/lib/edged /var/cache/edged
fi

if [ -z "$SYSROOT" ]; then
    [ ! -d /run/systemd/system ] || systemctl daemon-reload
    if [ $PURGE = yes ] && id edged >/dev/null 2>&1; then userdel edged; fi
fi
# The account's description goes with the account; kept state must keep its owner.
if [ $PURGE = yes ]; then remove /etc/sysusers.d/edged.conf; fi
say "done"
