import unittest
from fractions import Fraction

from units.converter import Converter


class ConverterTest(unittest.TestCase):
    def test_one_rule(self) -> None:
        converter = Converter()
        converter.add_rule("m", "cm", Fraction(100))
        self.assertEqual(converter.convert(Fraction(3), "m", "cm"), 300)
