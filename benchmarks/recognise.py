"""Recognises recordings for `intelligibility.py`.

Runs in its own environment (.venv-peers, see setup-peers.sh): `recognise.py MODEL_DIR zh:one.wav en:two.wav`
prints one line {"text": "..."} per recording, in order, as soon as it is known. Chinese comes back in
simplified characters. Nothing is fetched from the network.
"""

from __future__ import annotations

import json
import sys

# installed in .venv-peers only
from faster_whisper import WhisperModel  # type: ignore[import-not-found]
from zhconv import convert  # type: ignore[import-not-found]


def main() -> None:
    """Print what is heard in each recording of the command line."""
    model_dir, *recordings = sys.argv[1:]
    model = WhisperModel(model_dir, device="cpu", compute_type="int8", local_files_only=True)
    for recording in recordings:
        lang, _, path = recording.partition(":")
        segments, _ = model.transcribe(
            path, language=lang, beam_size=5, temperature=0.0, condition_on_previous_text=False
        )
        text = "".join(segment.text for segment in segments).strip()
        answer = {"text": convert(text, "zh-cn") if lang == "zh" else text}
        print(json.dumps(answer, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
