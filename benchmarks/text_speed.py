"""How fast the text front end reads, and what it costs to have it: time to load, first call, memory.

Each figure comes from a process of its own on one core, so nothing is warm or resident before. The prompts
are 50 characters long, as counters and kiosks say them, Chinese and English, each said once: their digits
differ. The memory is that of the front end and of the dictionary of pinyin, which the voice loads with its
first Chinese sentence; the English one comes with a model and is not in it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import click
import psutil

# run as a script: the package lies beside this folder
_ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(_ROOT))

PROMPTS = (
    "请A015号到3号窗口办理业务，您前面还有2位顾客，预计等待时间约15分钟，请在等候区就座，谢谢您的配合。",
    "您的账户尾号6688于11月30日14:05支出人民币1,250.50元，当前余额为￥10,086.00，请核对。",
    "Ticket A015, please go to counter 3 on floor 2 now.",
    "电梯已到达12楼，当前室温26.5℃，湿度85%，PM2.5为35μg/m³，空气质量优，祝您生活愉快，再见。",
    "Flight CA1234 to Beijing is now boarding at gate 12.",
    "您的快递已放入B2-07号格口，取件码629381，请于24小时内取件，如有疑问请拨打400-800-8820。",
)
_SHIFTS = [str.maketrans("123456789", "123456789"[n:] + "123456789"[:n]) for n in range(9)]
_WORDS = ("甲", "乙", "丙", "丁", "戊", "己", "庚", "辛")  # before each, so that 72 variants differ


def _import_ms() -> float:
    start = time.perf_counter()
    import edged.text.front_end  # noqa: F401  (this is what is measured)

    return (time.perf_counter() - start) * 1000


def _measure() -> dict[str, float]:
    process = psutil.Process()
    process.cpu_affinity([process.cpu_affinity()[0]])
    before = process.memory_info().rss
    import_ms = _import_ms()
    from edged.text.front_end import to_spoken

    start = time.perf_counter()
    to_spoken(PROMPTS[0])
    first_call_ms = (time.perf_counter() - start) * 1000
    prompts = [
        f"{word}{prompt.translate(shift)}" for prompt in PROMPTS for shift in _SHIFTS for word in _WORDS
    ]
    start = time.process_time()
    for prompt in prompts:
        to_spoken(prompt)
    seconds = time.process_time() - start
    _load_pinyin()
    return {
        "chars_per_s": round(sum(map(len, prompts)) / seconds),
        "import_ms": round(import_ms, 1),
        "first_call_ms": round(first_call_ms, 2),
        "rss_mb": round((process.memory_info().rss - before) / 1e6, 1),
    }


def _load_pinyin() -> None:
    from edged.text.pinyin import words
    from edged.text.sentence import Sentence

    list(words(Sentence("zh", "重庆银行", 0)))


@click.command(
    epilog="""\b
Examples:
  python benchmarks/text_speed.py
  python benchmarks/text_speed.py --runs 5 --json
"""
)
@click.option(
    "--runs", type=click.IntRange(1), default=3, show_default=True, help="Processes; the median counts."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of lines.")
@click.option("--once", is_flag=True, hidden=True)
def main(runs: int, as_json: bool, once: bool) -> None:
    """Characters per second, time to import, time of the first call, and memory of the text front end."""
    if once:
        click.echo(json.dumps(_measure()))
        return
    found = [_in_a_process() for _ in range(runs)]
    told = {key: sorted(run[key] for run in found)[runs // 2] for key in found[0]}
    if as_json:
        click.echo(json.dumps(told))
        return
    for key, value in told.items():
        click.echo(f"{key:14} {value}")


def _in_a_process() -> dict[str, float]:
    env = os.environ | {"PYTHONPATH": str(_ROOT)}
    done = subprocess.run(
        [sys.executable, __file__, "--once"], env=env, check=True, capture_output=True, text=True
    )
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


if __name__ == "__main__":
    main()
