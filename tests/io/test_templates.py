"""Template files on the disk, good ones and others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from edged.io.templates import load_templates, read_template_file

ROOT = Path(__file__).parents[2]
GOOD = '{slots: {n: {type: digits}}, zh: "{n}号"}\n'


def write(folder: Path, name: str, content: str) -> Path:
    """A file of this content."""
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize("file", ["edged/text/templates.yaml", "config/templates/example.yaml"])
def test_what_comes_with_edged_is_good(file: str) -> None:
    """The built-in templates and the example."""
    found, problems = read_template_file(ROOT / file)
    assert found
    assert problems == []


def test_without_a_folder_there_are_the_built_in_ones(tmp_path: Path) -> None:
    """A site without templates of its own needs no folder."""
    loaded = load_templates(tmp_path / "missing")
    assert loaded.templates.names == ("ticket_call",)
    assert loaded.problems == ()


def test_the_files_of_the_site_join_and_replace_the_built_in_ones(tmp_path: Path) -> None:
    """All *.yaml of the folder; other files are not looked at."""
    write(tmp_path, "a.yaml", "closing: {zh: 再见}")
    write(tmp_path, "b.yaml", f"ticket_call: {GOOD}empty: {{en: hello}}")
    write(tmp_path, "c.yaml.old", "{{{")
    loaded = load_templates(tmp_path)
    assert loaded.templates.names == ("closing", "empty", "ticket_call")
    assert loaded.templates.find("ticket_call").langs == ("zh",)
    assert loaded.problems == ()


def test_a_bad_file_leaves_the_others(tmp_path: Path) -> None:
    """Each problem has its file, line and key; what is good in any file works."""
    bad = write(tmp_path, "a.yaml", 'fine: {zh: 好}\nworse:\n  slots:\n    n: {type: digit}\n  zh: "{m}"\n')
    broken = write(tmp_path, "b.yaml", 'x:\n  zh: "unclosed\n')
    write(tmp_path, "c.yaml", "last: {en: bye}")
    loaded = load_templates(tmp_path)
    assert loaded.templates.names == ("fine", "last", "ticket_call")
    assert loaded.problems == (
        f"{bad}:4 worse.slots.n: used in no text",
        f"{bad}:4 worse.slots.n.type: expected 'digits', 'cardinal', 'money', 'time', 'spell', 'text' or "
        "'place', got 'digit'",
        f"{bad}:5 worse.zh: {{m}} is not among the slots",
        f"{broken}:3: found unexpected end of stream",
    )


def test_two_files_with_one_name_are_a_problem(tmp_path: Path) -> None:
    """The first stands; chance does not decide."""
    first = write(tmp_path, "a.yaml", "bye: {zh: 再见}")
    second = write(tmp_path, "b.yaml", "bye: {en: bye}")
    loaded = load_templates(tmp_path)
    assert loaded.templates.find("bye").langs == ("zh",)
    assert loaded.problems == (f"{second} bye: is already in {first}",)


def test_values_stand_as_they_are_written(tmp_path: Path) -> None:
    """YAML would make 015 thirteen, 14:05 minutes and yes a truth."""
    slots = (
        "{a: {type: digits, default: 015}, b: {type: time, default: 14:05}, c: {type: text, default: yes}}"
    )
    file = write(tmp_path, "a.yaml", f't: {{slots: {slots}, en: "{{a}} {{b}} {{c}}"}}')
    found, problems = read_template_file(file)
    assert problems == []
    assert {name: slot.default for name, slot in found["t"].slots.items()} == {
        "a": "015",
        "b": "14:05",
        "c": "yes",
    }


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("t: {zh: 好, zh: 再见}", ":1 t.zh: given twice"),
        ("t: {zh: 好}\nt: {en: bye}", ":2 t: given twice"),
        ("- t", ":1: expected templates by their names"),
        ("t: &t {zh: *t}", ":1: no aliases in this file"),
        ("[" * 5000, ": nested too deeply"),
        ("t: \x00", ": unacceptable character #x0000: special characters are not allowed"),
    ],
)
def test_what_yaml_lets_through_or_stumbles_over_is_a_problem(
    tmp_path: Path, content: str, problem: str
) -> None:
    """Nothing in a file raises."""
    file = write(tmp_path, "a.yaml", content)
    problems = read_template_file(file)[1]
    assert problems[0].startswith(f"{file}{problem}")


def test_what_is_no_text_file_is_a_problem(tmp_path: Path) -> None:
    """A folder of that name, bytes of another encoding."""
    (tmp_path / "a.yaml").mkdir()
    (tmp_path / "b.yaml").write_bytes("t: {zh: 好}".encode("gbk"))
    problems = load_templates(tmp_path).problems
    assert problems == (f"{tmp_path}/a.yaml: no regular file", f"{tmp_path}/b.yaml: not UTF-8 (byte 8)")


def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    """As one that is only comments."""
    assert read_template_file(write(tmp_path, "a.yaml", "# later\n")) == ({}, [])


def test_nested_aliases_are_refused_before_they_grow(tmp_path: Path) -> None:
    """Nine levels of nine would be 387 million items."""
    levels = ["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10))]
    bomb = write(tmp_path, "a.yaml", "\n".join(levels))
    assert load_templates(tmp_path).problems == (f"{bomb}:2: no aliases in this file",)


def test_halves_of_characters_are_no_obstacle(tmp_path: Path) -> None:
    """In a text, a key or the name of a file: what is read can be sent on, and what is told too."""
    write(tmp_path, "a.yaml", 't: {zh: "\\uD800好"}\n"\\uD800": {zh: x}')
    (tmp_path / os.fsdecode(b"\xff.yaml")).write_text("- t")
    loaded = load_templates(tmp_path)
    assert loaded.templates.find("t").zh == "\ufffd好"
    assert len(loaded.problems) == 2
    "".join(loaded.problems).encode()


def test_a_pipe_among_the_files_keeps_nobody_waiting(tmp_path: Path) -> None:
    """It is named; the others are read."""
    os.mkfifo(tmp_path / "a.yaml")
    write(tmp_path, "b.yaml", "last: {en: bye}")
    loaded = load_templates(tmp_path)
    assert loaded.templates.names == ("last", "ticket_call")
    assert loaded.problems == (f"{tmp_path / 'a.yaml'}: no regular file",)
