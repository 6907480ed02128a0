import unittest

from todo.parsing import parse
from todo.rendering import render


class TodoTest(unittest.TestCase):
    def test_a_finished_task(self) -> None:
        self.assertTrue(parse("x water the plants").is_done)

    def test_writing(self) -> None:
        self.assertEqual(render([parse("x a")]), "x a")
