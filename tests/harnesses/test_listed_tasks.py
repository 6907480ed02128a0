"""Every listed task of another harness runs through the product: found, listed as its manifest says, run and graded."""

import pytest
from evalrouter_server.catalog.benchmarks import Benchmarks
from evalrouter_server.catalog.harness_manifest import HarnessManifest

from evalrouter import EvalRouter
from tests.e2e.provider import Provider
from tests.shared_data import needs_shared

LISTED = [manifest.slug for manifest in Benchmarks.shipped().all() if isinstance(manifest, HarnessManifest)]


def test_there_are_some_of_each() -> None:
    assert {slug.partition("/")[0] for slug in LISTED} == {"inspect", "lm-eval"}


@pytest.mark.soak
@pytest.mark.timeout(3600)
@needs_shared
@pytest.mark.parametrize("slug", LISTED)
def test_a_listed_task_runs(client: EvalRouter, slug: str) -> None:
    with Provider() as provider:
        provider.text = "So the answer is True. The answer is 7. ANSWER: A"
        run = client.runs.create(
            benchmark=slug,
            model=provider.connect(client),
            coverage={"mode": "sample", "sample_count": 3, "seed": 1},
            wait=True,
        )
        assert (run.status, run.coverage.graded, len(provider.requests)) == ("completed", 3, 3), run.status_reason
        results = list(run.results())
        assert all(result.extracted or result.rule == "no_answer" for result in results)
        assert sum(result.charge for result in results) == run.cost > 0
        assert run.flags == ()
