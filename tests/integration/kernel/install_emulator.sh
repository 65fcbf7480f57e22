#!/bin/sh
# Installs what the tests in an emulated Debian kernel need beyond edged's own tools. Idempotent.
set -eu

case "${1:-}" in
    -h | --help)
        cat <<'HELP'
usage: tests/integration/kernel/install_emulator.sh

Installs the Debian packages of an emulated PC (as root, or with sudo), and unpacks Debian's kernel with its
modules into .kernel in the repository root; this machine's own kernel stays as it is. About 700 MB; nothing
of it is needed to run edged. Afterwards:

  .venv/bin/pytest -m kernel tests/integration/kernel
HELP
        exit 0
        ;;
    ?*)
        echo "install_emulator.sh: unknown argument: $1 (try --help)" >&2
        exit 64
        ;;
esac

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
kernel=$(CDPATH='' cd -- "$here/../../.." && pwd)/.kernel

as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
$as_root apt-get install --yes --no-install-recommends \
    qemu-system-x86 busybox-static cpio kmod procps alsa-utils

if [ ! -e "$kernel/vmlinuz" ]; then
    package=$(apt-cache depends linux-image-amd64 | awk '$1 == "Depends:" && $2 ~ /^linux-image-/ { print $2 }')
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    (cd "$scratch" && apt-get download "$package" && dpkg-deb -x "$package"_*.deb unpacked)
    PATH=$PATH:/usr/sbin depmod -b "$scratch/unpacked" "${package#linux-image-}"
    mkdir -p "$kernel"
    rm -rf "$kernel/lib"
    mv "$scratch/unpacked/lib" "$kernel/lib"
    mv "$scratch/unpacked/boot/vmlinuz-${package#linux-image-}" "$kernel/vmlinuz" # last: it says all is there
fi
echo "install_emulator.sh: $kernel is ready"
