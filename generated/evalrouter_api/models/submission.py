# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.submitted_file import SubmittedFile


T = TypeVar("T", bound="Submission")


@_attrs_define
class Submission:
    """
    Attributes:
        output (str): The whole text of the answer.
        files (list[SubmittedFile] | Unset): The files that the agent changed, where the task came with files; the
            result's `output` then is a JSON object
            with `answer`, `files` and `left_out`, of at most 1,000,000 characters.
        left_out (list[str] | Unset): What was changed and cannot be handed in, each with the reason.
    """

    output: str
    files: list[SubmittedFile] | Unset = UNSET
    left_out: list[str] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        output = self.output

        files: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.files, Unset):
            files = []
            for files_item_data in self.files:
                files_item = files_item_data.to_dict()
                files.append(files_item)

        left_out: list[str] | Unset = UNSET
        if not isinstance(self.left_out, Unset):
            left_out = self.left_out

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "output": output,
            }
        )
        if files is not UNSET:
            field_dict["files"] = files
        if left_out is not UNSET:
            field_dict["left_out"] = left_out

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.submitted_file import SubmittedFile  # noqa: PLC0415

        d = dict(src_dict)
        output = d.pop("output")

        _files = d.pop("files", UNSET)
        files: list[SubmittedFile] | Unset = UNSET
        if _files is not UNSET:
            files = []
            for files_item_data in _files:
                files_item = SubmittedFile.from_dict(files_item_data)

                files.append(files_item)

        left_out = cast(list[str], d.pop("left_out", UNSET))

        submission = cls(
            output=output,
            files=files,
            left_out=left_out,
        )

        return submission
