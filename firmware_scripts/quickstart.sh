#!/bin/sh
# From a clone to the first spoken words: sets everything up, starts a broker (unless one is named) and
# the daemon, publishes a Chinese and an English prompt over MQTT and reports how each was spoken.
# Without a sound card the prompts go through ALSA's file plugin into out/quickstart-*.wav.
set -eu

usage() {
    cat <<'TXT'
usage: quickstart.sh [--broker HOST[:PORT]] [--device PCM]
  --broker   use this broker instead of starting one on loopback
  --device   ALSA PCM to play on (aplay -L lists them) [default: default, without a card: WAV files]
Example: ./firmware_scripts/quickstart.sh --device plughw:CARD=PCH
TXT
}

broker=
pcm=
while [ $# -gt 0 ]; do
    case $1 in
        --broker | --device) [ $# -gt 1 ] || { echo "quickstart.sh: $1 needs a value" >&2; exit 2; } ;;
    esac
    case $1 in
        --broker) broker=$2; shift 2 ;;
        --device) pcm=$2; shift 2 ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
out=$root/out
device_id=quickstart
pids=
scratch=

stop_all() {
    # last started, first stopped
    for pid in $pids; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    [ -z "$scratch" ] || rm -rf "$scratch"
}
trap stop_all EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

free_port() {
    .venv/bin/python -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

start_broker() {
    host=127.0.0.1
    port=$(free_port)
    # nodelay: without it the kernel may hold a message back for 40 ms
    printf '%s\n' "listener $port 127.0.0.1" 'allow_anonymous true' 'set_tcp_nodelay true' \
        'log_dest stderr' >"$out/mosquitto.conf"
    PATH=$PATH:/usr/sbin mosquitto -c "$out/mosquitto.conf" >"$out/mosquitto.log" 2>&1 &
    pids="$! $pids"
}

write_daemon_config() {
    cat >"$out/quickstart.yaml" <<YAML
device: {id: $device_id}
mqtt: {host: $host, port: $port}
audio: {device: $pcm}
paths: {models_dir: ../models, state_dir: state, cache_dir: cache, runtime_dir: run}
YAML
}

# ALSA's file plugin, one WAV for each announcement: it completes the file when the PCM is closed and,
# with truncate false, takes a new name (.0001, .0002 ...) at the next opening.
use_wav_files() {
    pcm=default
    rm -f "$out"/quickstart-*.wav "$out"/recording.wav*
    # not in the clone: ALSA_CONFIG_PATH takes a space for the end of a name
    scratch=$(mktemp -d)
    cat >"$scratch/asound.conf" <<CONF
pcm.silence { type null }
pcm.!default { type file slave.pcm silence file "$out/recording.wav" format wav truncate false }
CONF
    ALSA_CONFIG_PATH=$scratch/asound.conf
    export ALSA_CONFIG_PATH
}

./firmware_scripts/setup.sh
.venv/bin/edged model install kokoro
case $broker in
    '') start_broker ;;
    *:*) host=${broker%:*} port=${broker##*:} ;;
    *) host=$broker port=1883 ;;
esac
recording=
if [ -z "$pcm" ]; then
    pcm=default
    if ! aplay -l 2>/dev/null | grep -q '^card'; then
        use_wav_files
        recording=$out/recording.wav
    fi
fi
write_daemon_config
.venv/bin/edged run --config "$out/quickstart.yaml" 2>"$out/quickstart.log" &
daemon=$!
pids="$daemon $pids"
.venv/bin/python firmware_scripts/quickstart_prompts.py \
    --host "$host" --port "$port" --device-id "$device_id" --daemon-pid "$daemon" \
    --daemon-log "$out/quickstart.log" --pcm "$pcm" ${recording:+--recording "$recording"}
