#!/bin/sh
# Makes .venv-reference: the reference implementation of Qwen3-TTS, for tests and benchmarks. Idempotent.
set -eu

case "${1:-}" in
    -h | --help)
        cat <<'HELP'
usage: tests/reference/setup.sh

Makes the virtual environment .venv-reference in the repository root: PyTorch, transformers and the
qwen-tts package that edged's Qwen3-TTS is compared with. About 1 GB; nothing in it is needed to run edged.

Any build of PyTorch will do, and the CPU is all that is used. Where the package index offers the CUDA
build (5 GB more), name an index that carries the CPU build in PIP_INDEX_URL or PIP_EXTRA_INDEX_URL.

environment:
  PYTHON   the interpreter to make it with (default: python3)
HELP
        exit 0
        ;;
    ?*)
        echo "setup.sh: unknown argument: $1 (try --help)" >&2
        exit 64
        ;;
esac

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
venv=$(CDPATH='' cd -- "$here/../.." && pwd)/.venv-reference

pip() {
    "$venv/bin/python" -m pip --quiet --disable-pip-version-check "$@"
}

[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
pip install --requirement "$here/requirements.txt"
# --no-deps: it asks for torchaudio, sox and gradio, which only its recording and demo parts use
pip install --no-deps qwen-tts==0.1.1
echo "setup.sh: $venv is ready"
