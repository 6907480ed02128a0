"""Evaluate a model behind an endpoint of your own: vLLM, llama.cpp, Ollama, a company's proxy.

python examples/own_endpoint.py --base-url http://127.0.0.1:8000/v1 --model my-model                      # free
python examples/own_endpoint.py --base-url https://llm.example.com/v1 --model large \
    --input-price 1.25 --output-price 10 --key-env WORK_PROXY_KEY --max-cost 0.25                         # paid
"""

import argparse

from evalrouter import Connection, EvalRouter


def connect(client: EvalRouter, options: argparse.Namespace) -> Connection:
    """The connection of that name, made where there is none."""
    for connection in client.connections.list():
        if connection.name == options.name:
            return connection
    return client.connections.create(
        options.name,
        base_url=options.base_url,
        model=options.model,
        free=options.input_price is None,
        input_price=options.input_price,
        output_price=options.output_price,
        key_env=options.key_env,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Evaluate a model behind an endpoint of your own.")
    parser.add_argument("--name", default="mine")
    parser.add_argument("--base-url", required=True, help="the OpenAI-compatible root, usually ending in /v1")
    parser.add_argument("--model", required=True, help="the model's name at the endpoint")
    parser.add_argument("--input-price", help="USD per million input tokens; left out: the endpoint is free")
    parser.add_argument("--output-price", help="USD per million output tokens")
    parser.add_argument("--key-env", help="the environment variable that holds the endpoint's key")
    parser.add_argument("--max-cost", default="1", help="USD that the run may charge at most")
    options = parser.parse_args()

    with EvalRouter() as client:
        connection = connect(client, options)
        run = client.runs.create(benchmark="first-steps", model=connection.model, max_cost=options.max_cost, wait=True)
        print(run)
        for call in run.calls(limit=3):
            print(f"{call.id}: {call.usage}, {call.charge} USD")


if __name__ == "__main__":
    main()
