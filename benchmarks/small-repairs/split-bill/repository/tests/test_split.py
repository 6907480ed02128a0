import unittest

from bill.split import shares


class SharesTest(unittest.TestCase):
    def test_an_even_split(self) -> None:
        self.assertEqual(shares(900, [1, 1, 1]), [300, 300, 300])

    def test_wrong_weights(self) -> None:
        with self.assertRaises(ValueError):
            shares(100, [0, 0])
