"""The cells of a notebook; each can be run again without starting a second run."""

# %% Connect. The client may stay open for the whole notebook.
from evalrouter import EvalRouter

client = EvalRouter()
print(client.whoami().workspace_name, client.wallet.get().available, "USD available")

# %% What is there
print(*client.benchmarks.list(), sep="\n")
print(*client.models.list(callable_only=True), sep="\n")

# %% Start. Running this cell again returns the same run; an idempotency_key= of your own starts a new one.
run = client.runs.create(
    benchmark="first-steps",
    model="smollm2-135m",
    max_cost=1,
    coverage={"mode": "sample", "sample_count": 10, "seed": 1},
)

# %% Wait, then show it: a notebook renders the run as a table.
run.wait()
print(run)

# %% Look at what went wrong, and at what it cost
for result in run.results():
    if not result.correct:
        print(result.item_id, repr(result.output), "wanted", dict(result.target))
print(sum(call.charge for call in run.calls()), "USD in all")

# %% Done: closing pauses what still runs in this process.
client.close()
