# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="RowProblem")


@_attrs_define
class RowProblem:
    """
    Attributes:
        row (int | None): From 1, a header not counted; null for the file as a whole.
        column (None | str):
        code (str):
        message (str):
    """

    row: int | None
    column: None | str
    code: str
    message: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        row: int | None
        row = self.row

        column: None | str
        column = self.column

        code = self.code

        message = self.message

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "row": row,
                "column": column,
                "code": code,
                "message": message,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_row(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        row = _parse_row(d.pop("row"))

        def _parse_column(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        column = _parse_column(d.pop("column"))

        code = d.pop("code")

        message = d.pop("message")

        row_problem = cls(
            row=row,
            column=column,
            code=code,
            message=message,
        )

        row_problem.additional_properties = d
        return row_problem

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
