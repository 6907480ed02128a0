from typing import Any

from observing import MODEL, QUESTION, observe, weather_in
from opentelemetry.sdk.trace import TracerProvider
from pydantic_ai import Agent
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.openai import OpenAIChatModel


def work(provider: TracerProvider) -> Any:
    Agent.instrument_all(InstrumentationSettings(tracer_provider=provider))
    return Agent(OpenAIChatModel(MODEL), tools=[weather_in]).run_sync(QUESTION)


observe("pydantic-ai", work)
