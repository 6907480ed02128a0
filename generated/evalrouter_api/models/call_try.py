# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="CallTry")


@_attrs_define
class CallTry:
    """One HTTP request of a call, a reservation of its own.

    Attributes:
        number (int):
        status (str): `open`, `settled`, `released` or `unknown`.
        reservation_microusd (int): Micro-USD; 1,000,000 is one dollar.
        charge_microusd (int): Micro-USD; 1,000,000 is one dollar.
        http_status (int | None):
        error (None | str):
        started_at (datetime.datetime):
        ended_at (datetime.datetime | None):
    """

    number: int
    status: str
    reservation_microusd: int
    charge_microusd: int
    http_status: int | None
    error: None | str
    started_at: datetime.datetime
    ended_at: datetime.datetime | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        number = self.number

        status = self.status

        reservation_microusd = self.reservation_microusd

        charge_microusd = self.charge_microusd

        http_status: int | None
        http_status = self.http_status

        error: None | str
        error = self.error

        started_at = self.started_at.isoformat()

        ended_at: None | str
        if isinstance(self.ended_at, datetime.datetime):
            ended_at = self.ended_at.isoformat()
        else:
            ended_at = self.ended_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "number": number,
                "status": status,
                "reservation_microusd": reservation_microusd,
                "charge_microusd": charge_microusd,
                "http_status": http_status,
                "error": error,
                "started_at": started_at,
                "ended_at": ended_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        number = d.pop("number")

        status = d.pop("status")

        reservation_microusd = d.pop("reservation_microusd")

        charge_microusd = d.pop("charge_microusd")

        def _parse_http_status(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        http_status = _parse_http_status(d.pop("http_status"))

        def _parse_error(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        error = _parse_error(d.pop("error"))

        started_at = datetime.datetime.fromisoformat(d.pop("started_at"))

        def _parse_ended_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                ended_at_type_0 = datetime.datetime.fromisoformat(data)

                return ended_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        ended_at = _parse_ended_at(d.pop("ended_at"))

        call_try = cls(
            number=number,
            status=status,
            reservation_microusd=reservation_microusd,
            charge_microusd=charge_microusd,
            http_status=http_status,
            error=error,
            started_at=started_at,
            ended_at=ended_at,
        )

        call_try.additional_properties = d
        return call_try

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
