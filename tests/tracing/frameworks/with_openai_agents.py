from typing import Any

from agents import Agent, Runner, function_tool
from observing import MODEL, QUESTION, observe, weather_in
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor
from opentelemetry.sdk.trace import TracerProvider


def work(provider: TracerProvider) -> Any:
    OpenAIAgentsInstrumentor().instrument(tracer_provider=provider)
    return Runner.run_sync(Agent(name="weather", model=MODEL, tools=[function_tool(weather_in)]), QUESTION)


observe("openinference.instrumentation.openai_agents", work)
