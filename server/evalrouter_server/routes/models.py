"""Models: what can be evaluated, with prices."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from evalrouter_server.auth import Reader
from evalrouter_server.catalog.models import CatalogModel
from evalrouter_server.contract import models as contract
from evalrouter_server.routes.route import (
    AuthenticatedRoute,
    Cursor,
    Limit,
    Match,
    ServicesOf,
    answer,
    not_found,
    page_of,
)

router = APIRouter(prefix="/v1/models", route_class=AuthenticatedRoute)


@router.get("")
async def list_models(
    principal: Reader,
    services: ServicesOf,
    match: Match = None,
    callable_only: Annotated[Literal["true", "false"], Query(alias="callable")] = "false",
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """List the models that the workspace can name, or those that a name means."""
    suggestions: list[str] = []
    if match is None:
        found = await services.models.models(principal.workspace_id)
    else:
        found = await services.models.match(principal.workspace_id, match)
        if not found:
            suggestions = await services.models.suggestions(principal.workspace_id, match)
    if callable_only == "true":
        found = [model for model in found if model.callable]
    page = page_of(found, "models", cursor, limit, lambda model: model.id)
    return answer(
        contract.ModelPage(
            items=[model_document(model) for model in page.items],
            next_cursor=page.next_cursor,
            suggestions=suggestions,
        )
    )


@router.get("/{model_id}")
async def get_model(principal: Reader, services: ServicesOf, model_id: contract.ModelIdValue) -> Response:
    """Read a model."""
    model = await services.models.get(principal.workspace_id, model_id)
    if model is None:
        raise not_found("model", model_id)
    return answer(model_document(model))


def model_document(model: CatalogModel) -> contract.Model:
    """The contract's `Model`."""
    return contract.Model(
        id=model.id,
        slug=model.slug,
        provider=model.provider,
        name=model.name,
        reference=model.reference,
        is_makers=model.is_makers,
        connection_id=model.connection_id,
        price=None if model.price is None else contract.Price.model_validate(model.price.model_dump(mode="json")),
        context_window=model.context_window,
        callable=model.callable,
        unavailable_reason=model.unavailable_reason,
    )
