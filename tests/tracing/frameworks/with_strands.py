import os
from typing import Any

from observing import MODEL, QUESTION, observe, weather_in
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from strands import Agent, tool
from strands.models.openai import OpenAIModel


def work(provider: TracerProvider) -> Any:
    trace.set_tracer_provider(provider)
    model = OpenAIModel(
        client_args={"base_url": os.environ["OPENAI_BASE_URL"], "api_key": os.environ["OPENAI_API_KEY"]},
        model_id=MODEL,
    )
    return Agent(model=model, tools=[tool(weather_in)], callback_handler=None)(QUESTION)


observe("strands.telemetry.tracer", work)
