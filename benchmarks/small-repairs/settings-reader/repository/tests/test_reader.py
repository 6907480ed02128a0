import unittest

from settings.reader import read


class ReaderTest(unittest.TestCase):
    def test_a_section(self) -> None:
        self.assertEqual(read("[a]\nb = c"), {"a": {"b": "c"}})
