"""Templates of users: plain names in braces and nothing else, so that filling one in is harmless."""

import string
from collections.abc import Collection


def check_template(template: str, names: Collection[str]) -> None:
    """Check that a template holds nothing but plain names in braces.

    Attributes, indexes, conversions and format specifications would reach into Python or take memory without bound.

    Args:
        template: The template.
        names: The names that it may hold.

    Raises:
        ValueError: It holds something else.
    """
    try:
        fields = [field for field in string.Formatter().parse(template) if field[1] is not None]
    except ValueError as error:
        raise ValueError(f"the template is not valid ({error}): write a brace that is meant as a brace twice") from None
    for _, name, specification, conversion in fields:
        if specification or conversion or name not in names:
            written = (
                f"{{{name}{'!' + conversion if conversion else ''}{':' + specification if specification else ''}}}"
            )
            raise ValueError(
                f"the template holds {written}, which is not one of {', '.join(sorted(names))}:"
                " use one of these, or write a brace that is meant as a brace twice"
            )
