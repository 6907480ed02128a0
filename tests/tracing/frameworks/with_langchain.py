import os
from typing import Any

from observing import MODEL, QUESTION, observe, weather_in
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

os.environ |= {"LANGSMITH_TRACING": "true", "LANGSMITH_OTEL_ENABLED": "true", "LANGSMITH_OTEL_ONLY": "true"}


def work(provider: TracerProvider) -> Any:
    trace.set_tracer_provider(provider)
    from langchain.agents import create_agent
    from langchain_core.tracers.langchain import wait_for_all_tracers
    from langchain_openai import ChatOpenAI

    agent = create_agent(ChatOpenAI(model=MODEL), tools=[weather_in])
    answer = agent.invoke({"messages": [{"role": "user", "content": QUESTION}]})
    wait_for_all_tracers()
    return answer


observe("langsmith", work)
