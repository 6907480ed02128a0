"""The model that stands for answers which were recorded before a run: nothing is called, and nothing is charged."""

from evalrouter_server.quoting.price import Price

PROVIDER = "traces"
SLUG = "recorded"
NAME = "Answers as recorded"


def price() -> Price:
    """Its price: nothing."""
    return Price.model_validate(
        {"input_usd_per_mtok": 0, "output_usd_per_mtok": 0, "source": "recorded answers", "version": "1"}
    )
