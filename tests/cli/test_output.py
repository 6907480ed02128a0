"""How things are written: amounts, tables, foreign text."""

import io
import time
from decimal import Decimal

import pytest
from evalrouter_cli import formats, progress
from evalrouter_cli.output import printable
from evalrouter_cli.tables import render


@pytest.mark.parametrize(
    ("amount", "plain", "usd"),
    [
        ("0", "0", "0.00"),
        ("0E-6", "0", "0.00"),
        ("1E-6", "0.000001", "0.000001"),
        ("5", "5", "5.00"),
        ("1E+3", "1000", "1000.00"),
        ("0.250000", "0.25", "0.25"),
        ("-1.5", "-1.5", "-1.50"),
        ("100", "100", "100.00"),
    ],
)
def test_amounts_have_no_exponent(amount: str, plain: str, usd: str) -> None:
    assert formats.plain(Decimal(amount)) == plain
    assert formats.usd(Decimal(amount)) == usd


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (59.4, "59 s"), (61, "1 min 01 s"), (3600, "1 h 00 min"), (7325, "2 h 02 min")]
)
def test_durations(seconds: float, text: str) -> None:
    assert formats.duration(seconds) == text


def test_foreign_text_cannot_steer_the_terminal() -> None:
    assert printable("a\x1b[31mred\x07\nnext\u202e") == "a\\x1b[31mred\\x07 next\\u202e"
    assert printable("数学 é 🎉") == "数学 é 🎉"


def test_a_piped_table_is_aligned_uncut_and_plain() -> None:
    rows = [["数学", "1"], ["[bold]x[/bold]", "12.5"], ["y" * 200, "100"]]
    lines = list(render(["NAME", "USD"], rows, numeric=["USD"], stream=io.StringIO()))
    assert lines[0].split() == ["NAME", "USD"]
    assert lines[1].startswith("数学 ")
    assert lines[2].startswith("[bold]x[/bold] ")
    assert lines[3].startswith("y" * 200)
    assert {len(line) for line in lines[2:]} == {len(lines[3])}
    assert "\x1b" not in "".join(lines)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1m" in "".join(render(["A"], [["b"]], numeric=[], stream=Terminal()))
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in "".join(render(["A"], [["b"]], numeric=[], stream=Terminal()))


def test_a_long_cell_is_wrapped_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    lines = list(render(["A", "N"], [["z" * 60, "7"]], numeric=["N"], stream=Terminal()))
    assert all(len(line) <= 40 for line in lines)
    assert sum(line.count("z") for line in lines) == 60


def test_an_id_stays_whole_on_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    columns = ["RUN", "STATUS", "BENCHMARK", "MODEL", "COST USD"]
    row = ["run_01m8me3ky6180npdxg6xjpa999", "completed", "first-steps@1", "connection:a-long-name", "0.25"]
    for width in (30, 40, 60, 80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = list(render(columns, [row, row], numeric=["COST USD"], stream=Terminal()))
        assert sum(row[0] in line for line in lines) == 2
        assert all(len(line) <= width for line in lines)
    monkeypatch.setenv("COLUMNS", "40")
    assert list(render(columns, [row], numeric=["COST USD"], stream=Terminal())) == [
        "run_01m8me3ky6180npdxg6xjpa999",
        "  status completed; benchmark",
        "  first-steps@1; model",
        "  connection:a-long-name; cost usd 0.25",
    ]


def test_what_takes_long_is_explained(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalrouter_cli.progress.QUIET_SECONDS", 0.01)
    with progress.explained("fetching"):
        time.sleep(0.2)
    assert capsys.readouterr().err == "fetching\n"
    monkeypatch.setattr("evalrouter_cli.progress.QUIET_SECONDS", 0.1)
    with progress.explained("fetching"):
        pass
    time.sleep(0.2)
    assert capsys.readouterr().err == ""
