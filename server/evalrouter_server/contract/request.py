"""What every request body has in common."""

import re
from itertools import chain
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class RequestModel(BaseModel):
    """A request body: exact types, no unknown field, and no null where the contract has none.

    Text must be storable, but in fields of any JSON value, which are kept as JSON in ASCII.

    A field that may be left out is typed `X | None` in Python, but null is not a value that the contract allows for it;
    a field that may be null is required.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    @field_validator("*", mode="after")
    @classmethod
    def _refuse_unstorable_text(cls, value: Any, info: ValidationInfo) -> Any:
        if info.field_name and cls.model_fields[info.field_name].annotation == Any | None:
            return value
        texts = (value,) if isinstance(value, str) else chain(*value.items()) if isinstance(value, dict) else ()
        if any(isinstance(text, str) and _UNSTORABLE.search(text) for text in texts):
            raise PydanticCustomError("text_not_storable", "Text must not hold NUL or half of a surrogate pair")
        return value

    @field_validator("*", mode="after")
    @classmethod
    def _refuse_null_for_absent(cls, value: Any, info: ValidationInfo) -> Any:
        if value is None and info.field_name and not cls.model_fields[info.field_name].is_required():
            raise PydanticCustomError("null_not_allowed", "Leave the field out instead of sending null")
        return value
