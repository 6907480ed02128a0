import time
from itertools import pairwise

from evalrouter_server.gateway.sse import Event, EventSplitter
from hypothesis import given
from hypothesis import strategies as st

STREAM = 'data: {"a": "ä"}\n\n: a comment\n\nevent: x\r\ndata: 1\r\ndata: 2\r\n\r\n\n\ndata:[DONE]\r\r'.encode()
EVENTS = [
    ('{"a": "ä"}', None),
    (None, None),
    ("1\n2", "x"),
    ("[DONE]", None),
]


def split(chunks: list[bytes]) -> list[Event]:
    splitter = EventSplitter()
    return [*(event for chunk in chunks for event in splitter.feed(chunk)), *splitter.end()]


@given(cuts=st.lists(st.integers(0, len(STREAM)), max_size=20))
def test_events_do_not_depend_on_the_chunks(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(STREAM)]
    events = split([STREAM[start:end] for start, end in pairwise(edges)])
    assert [(event.data, event.name) for event in events] == EVENTS


def test_what_is_passed_on_is_what_came() -> None:
    whole = b'data: {"a": 1}\n\n: ping\n\ndata: [DONE]\n\n'
    assert b"".join(event.raw for event in split([whole])) == whole


def test_a_last_event_without_its_empty_line_counts() -> None:
    assert [event.data for event in split([b"data: 1\n\ndata: 2"])] == ["1", "2"]


def test_a_line_without_an_end_takes_time_by_its_length_and_not_by_its_square() -> None:
    started = time.process_time()
    assert split([b"data: ", *([b"x" * 1024] * 16 * 1024)])[0].raw == b"data: " + b"x" * 1024 * 1024 * 16
    assert time.process_time() - started < 5


def test_bytes_that_are_no_text_do_not_break_it() -> None:
    assert [event.data for event in split([b"data: \xff\n\n"])] == ["\ufffd"]
