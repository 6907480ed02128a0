"""Look at what a run would cost at most, then start exactly that; make the sample smaller where it does not fit.

python examples/quote_first.py --model gpt-5 --max-cost 0.50
"""

import argparse

from evalrouter import EvalRouter


def main() -> None:
    parser = argparse.ArgumentParser(description="Quote a run before starting it.")
    parser.add_argument("--benchmark", default="first-steps")
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--max-cost", default="1", help="USD that the run may charge at most")
    parser.add_argument("--yes", action="store_true", help="start the run without asking")
    options = parser.parse_args()

    with EvalRouter() as client:
        quote = client.quotes.create(benchmark=options.benchmark, model=options.model, max_cost=options.max_cost)
        if not quote.within_max_cost and quote.largest_sample_count:
            print(f"All items would cost up to {quote.maximum_charge} USD; quoting a sample that fits.")
            quote = client.quotes.create(
                benchmark=options.benchmark,
                model=options.model,
                max_cost=options.max_cost,
                coverage={"mode": "sample", "sample_count": quote.largest_sample_count, "seed": 42},
            )
        print(quote.explain())
        if not quote.within_max_cost:
            print("Nothing fits this budget; nothing was started.")
            return
        if options.yes or input("Start it? [y/N] ").strip().lower() == "y":
            print(client.runs.create(quote_id=quote.id, wait=True))


if __name__ == "__main__":
    main()
