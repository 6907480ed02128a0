"""A benchmark's first row as it is asked and graded."""

from tests.server.conftest import Workspace
from tests.server.test_access import problem


def test_the_first_row_as_it_is_asked(workspace: Workspace) -> None:
    example = workspace.client.get(f"/v1/benchmarks/{workspace.benchmark()}/example").json()
    prompt = "Answer in a few words. What is the capital of France?"
    assert example == {
        "row": 1,
        "messages": [{"role": "user", "content": prompt}],
        "target": {"answers": ["Paris"]},
        "group": "facts",
    }


def test_a_benchmark_says_what_bounds_and_grades_a_task(workspace: Workspace) -> None:
    benchmark = workspace.client.get("/v1/benchmarks", params={"match": "bbh"}).json()["items"][0]
    assert (benchmark["max_output_tokens"], benchmark["task_seconds"]) == (1024, 300)
    assert benchmark["grader"] == "exact"
    assert benchmark["grader_settings"]["ignore"] == ["final_stop"]
    assert benchmark["sources"][0]["location"].endswith(":bbh/* (27 files)")


def test_what_is_not_there_has_no_example(workspace: Workspace) -> None:
    problem(workspace.client.get(f"/v1/benchmarks/bench_{'0' * 26}/example"), 404, "not_found")
