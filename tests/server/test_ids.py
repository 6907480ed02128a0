import os
import re
from concurrent.futures import ThreadPoolExecutor

from evalrouter_server import ids
from evalrouter_server.ids import derived_id, new_id


def test_ids_are_unique_and_sort_by_creation() -> None:
    made = [new_id("run") for _ in range(20_000)]
    assert made == sorted(set(made))
    assert all(re.fullmatch("run_[0-7][0-9a-hjkmnp-tv-z]{25}", one) for one in made)


def test_threads_share_no_id() -> None:
    with ThreadPoolExecutor(4) as pool:
        made = [one for many in pool.map(lambda _: [new_id("call") for _ in range(2000)], range(4)) for one in many]
    assert len(set(made)) == 8000


def test_ids_go_on_ascending_where_a_millisecond_has_more_than_the_last_digits_count() -> None:
    ulids = ids._Ulids()
    first = ulids.next()
    ulids._millisecond = 2**45
    ulids._count = 2**20 - 2
    made = [first, *(ulids.next() for _ in range(5))]
    assert made == sorted(set(made))


def test_a_forked_child_makes_other_ids() -> None:
    reader, writer = os.pipe()
    new_id("run")
    child = os.fork()
    if child == 0:
        os.write(writer, new_id("run").encode())
        os._exit(0)
    mine = new_id("run")
    os.waitpid(child, 0)
    assert os.read(reader, 100).decode() != mine
    os.close(reader)
    os.close(writer)


def test_a_derived_id_is_the_same_everywhere() -> None:
    assert derived_id("item", "gsm8k", "1") == "item_2h0tskr8dpyqjvc0a6szn186mw" != derived_id("item", "gsm8k1")
