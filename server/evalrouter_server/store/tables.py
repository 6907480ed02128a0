"""The database's tables. Money columns are 64-bit micro-USD; ID columns compare bytewise on both databases.

Counters (`workspaces.available_microusd`, `workspaces.held_microusd`, `api_keys.committed_microusd`,
`runs.reserved_microusd`, `runs.spent_microusd`) change only in the transaction that writes the ledger entries or the
try that they stand for. The database itself refuses counters beyond their limits and changes to ledger entries.
"""

from sqlalchemy import (
    DDL,
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    event,
)

from evalrouter_server.store import cluster_tables as cluster_tables
from evalrouter_server.store.columns import FreeText, Id, Money, Position, UtcDateTime
from evalrouter_server.store.columns import metadata as metadata

workspaces = Table(
    "workspaces",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", FreeText, nullable=False),
    Column("available_microusd", Money, nullable=False, default=0),
    Column("held_microusd", Money, nullable=False, default=0, comment="sum of the caps of runs that have not ended"),
    Column("traces_enabled", Boolean, nullable=False, default=False, comment="the Traces switch"),
    Column("created_at", UtcDateTime, nullable=False),
    CheckConstraint("available_microusd >= 0", name="available"),
    CheckConstraint("held_microusd >= 0", name="held"),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Id, primary_key=True),
    Column("workspace_id", Id, ForeignKey("workspaces.id"), nullable=False),
    Column("name", FreeText, nullable=False),
    Column("prefix", Text, nullable=False),
    Column("hash", Text, nullable=False, unique=True, comment="sha256 of the secret, which has 256 random bits"),
    Column("scopes", JSON, nullable=False),
    Column("ceiling_microusd", Money),
    Column("committed_microusd", Money, nullable=False, default=0, comment="charges and holds of what the key started"),
    Column("created_at", UtcDateTime, nullable=False),
    Column("revoked_at", UtcDateTime),
    Index(None, "workspace_id", "id"),
    CheckConstraint("committed_microusd >= 0", name="committed"),
    CheckConstraint("ceiling_microusd IS NULL OR committed_microusd <= ceiling_microusd", name="ceiling"),
)

connections = Table(
    "connections",
    metadata,
    Column("id", Id, primary_key=True),
    Column("workspace_id", Id, ForeignKey("workspaces.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("name_folded", Text, nullable=False),
    Column("kind", Text, nullable=False, comment="model, trace or a2a; columns of another kind are null"),
    Column("base_url", Text),
    Column("upstream_model", Text),
    Column("model_id", Id),
    Column("price", JSON(none_as_null=True)),
    Column("key_encrypted", LargeBinary),
    Column("key_env", Text),
    Column("ingest_key_hash", Text, comment="sha256 of a trace connection's key"),
    Column("ingest_key_prefix", Text),
    Column("ingest_key_revoked_at", UtcDateTime),
    Column("stores_content", Boolean),
    Column("retention_days", Integer),
    Column("card_url", Text),
    Column("key_header", Text),
    Column("origins", JSON(none_as_null=True)),
    Column("created_at", UtcDateTime, nullable=False),
    Column("deleted_at", UtcDateTime),
    Index(None, "workspace_id", "id"),
    Index(None, "model_id"),
    Index(None, "ingest_key_hash", unique=True),
    Index(
        "uq_connections_live_name",
        "workspace_id",
        "name_folded",
        unique=True,
        sqlite_where=Column("deleted_at").is_(None),
        postgresql_where=Column("deleted_at").is_(None),
    ),
)

quotes = Table(
    "quotes",
    metadata,
    Column("id", Id, primary_key=True),
    Column("workspace_id", Id, ForeignKey("workspaces.id"), nullable=False),
    Column("key_id", Id, nullable=False),
    Column("spec", JSON, nullable=False, comment="the contract's RunSpec"),
    Column("plan", JSON, nullable=False),
    Column("maximum_charge_microusd", Money, nullable=False),
    Column("max_cost_microusd", Money),
    Column("within_max_cost", Boolean, nullable=False),
    Column("shortfall_microusd", Money, nullable=False),
    Column("largest_sample_count", Integer),
    Column("run_id", Id),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Id, primary_key=True),
    Column("workspace_id", Id, ForeignKey("workspaces.id"), nullable=False),
    Column("key_id", Id, ForeignKey("api_keys.id"), nullable=False),
    Column("quote_id", Id, ForeignKey("quotes.id"), nullable=False),
    Column("dedupe_key", Text, nullable=False),
    Column("spec_digest", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("status_reason", FreeText),
    Column("closing_reason", FreeText, comment="why no further task of it is begun, though it has not ended yet"),
    Column("name", FreeText),
    Column("metadata", JSON, nullable=False),
    Column("benchmark", JSON, nullable=False, comment="the contract's BenchmarkRef"),
    Column("model", JSON, nullable=False, comment="the contract's ModelRef, or the JSON null of a run without a model"),
    Column("connection_id", Id),
    Column("agent", JSON(none_as_null=True), comment="the contract's AgentRef; null: the server asks the model itself"),
    Column("price", JSON, nullable=False, comment="the JSON null of a run without a model"),
    Column("coverage", JSON, nullable=False, comment="the contract's CoveragePlan"),
    Column("concurrency", Integer, nullable=False),
    Column("repeats", Integer, nullable=False),
    Column("cap_microusd", Money, nullable=False),
    Column("max_cost_microusd", Money),
    Column("maximum_charge_microusd", Money, nullable=False),
    Column("reserved_microusd", Money, nullable=False, default=0),
    Column("spent_microusd", Money, nullable=False, default=0),
    Column("overage_microusd", Money, nullable=False, default=0),
    Column("hold_released", Boolean, nullable=False, default=False),
    Column("selected", Integer, nullable=False),
    Column("graded", Integer, nullable=False, default=0),
    Column("failed", Integer, nullable=False, default=0),
    Column("score", Float),
    Column("metrics", JSON, nullable=False),
    Column("groups", JSON, nullable=False),
    Column("flags", JSON, nullable=False),
    Column("models_served", JSON, nullable=False),
    Column("last_seq", BigInteger, nullable=False, default=0),
    Column("created_at", UtcDateTime, nullable=False),
    Column("started_at", UtcDateTime),
    Column("ended_at", UtcDateTime),
    UniqueConstraint("workspace_id", "dedupe_key"),
    Index(None, "workspace_id", "id"),
    Index(None, "workspace_id", "status", "id"),
    Index(None, "status"),
    CheckConstraint("reserved_microusd >= 0", name="reserved"),
    CheckConstraint("spent_microusd >= 0", name="spent"),
    CheckConstraint("spent_microusd + reserved_microusd <= cap_microusd", name="cap"),
)

tasks = Table(
    "tasks",
    metadata,
    Column("id", Id, primary_key=True),
    Column("run_id", Id, ForeignKey("runs.id"), nullable=False),
    Column("position", Integer, nullable=False, comment="place in the plan, repeats included"),
    Column("item_id", Id, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("status", Text, nullable=False, comment="pending, claimed, graded, failed or dropped"),
    Column("owner", Id),
    Column("fence", Integer, nullable=False, default=0),
    Column("claimed_at", UtcDateTime),
    UniqueConstraint("run_id", "position"),
    Index(None, "run_id", "status", "position"),
)

results = Table(
    "results",
    metadata,
    Column("task_id", Id, ForeignKey("tasks.id"), primary_key=True),
    Column("run_id", Id, ForeignKey("runs.id"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("item_id", Id, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("group", FreeText),
    Column("status", Text, nullable=False, comment="graded or failed"),
    Column("inputs", JSON, nullable=False),
    Column("output", FreeText),
    Column("target", JSON, nullable=False),
    Column("score", Float),
    Column("correct", Boolean),
    Column("extracted", FreeText),
    Column("rule", FreeText),
    Column("details", JSON, comment="what the grader notes beside its verdict"),
    Column("finish_reason", FreeText),
    Column("usage", JSON, nullable=False),
    Column("charge_microusd", Money, nullable=False),
    Column("latency_seconds", Float),
    Column("model_served", FreeText),
    Column("error", JSON),
    Column("ended_at", UtcDateTime, nullable=False),
    UniqueConstraint("run_id", "position"),
)

calls = Table(
    "calls",
    metadata,
    Column("id", Id, primary_key=True),
    Column("run_id", Id, ForeignKey("runs.id"), nullable=False),
    Column("task_id", Id),
    Column(
        "call_key", Text, nullable=False, comment="names the logical call within its run; a settled one is replayed"
    ),
    Column("gateway_key_id", Id),
    Column("wire", Text, nullable=False),
    Column("streamed", Boolean, nullable=False),
    Column("model_requested", FreeText, nullable=False),
    Column("model_served", FreeText),
    Column("status", Text, nullable=False, comment="open, settled, released or unknown"),
    Column("usage", JSON(none_as_null=True)),
    Column("usage_source", Text),
    Column("charge_microusd", Money, nullable=False, default=0),
    Column("overage_microusd", Money, nullable=False, default=0),
    Column("provider_cost_microusd", Money),
    Column("response", JSON(none_as_null=True), comment="kept for the built-in runner, which replays it after a crash"),
    Column("started_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    UniqueConstraint("run_id", "call_key"),
    Index(None, "run_id", "id"),
)

tries = Table(
    "tries",
    metadata,
    Column("call_id", Id, ForeignKey("calls.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("run_id", Id, nullable=False),
    Column("owner", Id, nullable=False, comment="the process instance that sent it"),
    Column("token", Id, comment="names the question that reserved it, so that asking again finds it"),
    Column("status", Text, nullable=False, comment="open, settled, released or unknown"),
    Column("reservation_microusd", Money, nullable=False),
    Column("charge_microusd", Money, nullable=False, default=0),
    Column("http_status", Integer),
    Column("error", FreeText),
    Column("started_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    Index(None, "run_id", "status"),
    Index(
        "ix_tries_open", "owner", sqlite_where=Column("status") == "open", postgresql_where=Column("status") == "open"
    ),
    CheckConstraint("charge_microusd BETWEEN 0 AND reservation_microusd", name="charge"),
)

ledger_entries = Table(
    "ledger_entries",
    metadata,
    Column("position", Position, primary_key=True, comment="ascends in the order of commits"),
    Column("id", Id, nullable=False, unique=True),
    Column("workspace_id", Id, ForeignKey("workspaces.id"), nullable=False),
    Column("transaction_id", Id, nullable=False, comment="entries of one transaction add up to zero"),
    Column("kind", Text, nullable=False, comment="top_up, hold, charge or release"),
    Column("account", Text, nullable=False),
    Column("amount_microusd", Money, nullable=False),
    Column("run_id", Id),
    Column("call_id", Id),
    Column("try_number", Integer),
    Column("top_up_id", Id),
    Column("key_id", Id),
    Column("note", FreeText),
    Column("posted_at", UtcDateTime, nullable=False),
    Index(None, "workspace_id", "position"),
    Index(None, "account"),
    CheckConstraint("amount_microusd <> 0", name="amount"),
)

ledger_checkpoints = Table(
    "ledger_checkpoints",
    metadata,
    Column("workspace_id", Id, ForeignKey("workspaces.id"), primary_key=True),
    Column("account", Text, primary_key=True, comment="an account, or the total of a kind of them, such as hold:*"),
    Column("position", BigInteger, primary_key=True, comment="the last entry that it covers"),
    Column("balance_microusd", Money, nullable=False),
    Column("made_at", UtcDateTime, nullable=False),
    Index(None, "workspace_id", "position"),
)

gateway_keys = Table(
    "gateway_keys",
    metadata,
    Column("id", Id, primary_key=True),
    Column("run_id", Id, ForeignKey("runs.id"), nullable=False),
    Column("task_id", Id),
    Column("hash", Text, nullable=False, unique=True),
    Column("created_at", UtcDateTime, nullable=False),
    Column("revoked_at", UtcDateTime),
    Index(None, "run_id"),
)

delivery_keys = Table(
    "delivery_keys",
    metadata,
    Column("id", Id, primary_key=True),
    Column("run_id", Id, ForeignKey("runs.id"), nullable=False),
    Column("hash", Text, nullable=False, unique=True),
    Column("created_at", UtcDateTime, nullable=False),
    Column("seen_at", UtcDateTime, nullable=False, comment="when its client last leased or renewed"),
    Column("revoked_at", UtcDateTime),
    Index(None, "run_id"),
)

leases = Table(
    "leases",
    metadata,
    Column("id", Id, primary_key=True),
    Column("run_id", Id, ForeignKey("runs.id"), nullable=False),
    Column("task_id", Id, ForeignKey("tasks.id"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("item_id", Id, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("fence", Integer, nullable=False, comment="of the claim on the task"),
    Column("delivery_key_id", Id, ForeignKey("delivery_keys.id"), nullable=False),
    Column("gateway_key_id", Id, ForeignKey("gateway_keys.id"), nullable=False),
    Column("status", Text, nullable=False, comment="open, submitted, done, graded, failed, returned or ended"),
    Column("settled", Boolean, nullable=False, default=False, comment="whether nothing more will come of it"),
    Column("reason", Text, comment="why it ended where the client did not end it"),
    Column("stopped_by", FreeText, comment="why its model calls were refused for the whole run"),
    Column("output", FreeText),
    Column("error", JSON(none_as_null=True), comment="code, message and details of a failure"),
    Column("note_count", Integer, nullable=False, default=0),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False, comment="renewing puts it off"),
    Column("deadline", UtcDateTime, nullable=False, comment="nothing puts it off"),
    Column("ended_at", UtcDateTime),
    Index(None, "run_id", "settled"),
    Index(None, "task_id"),
    Index(None, "gateway_key_id"),
)

remote_tasks = Table(
    "remote_tasks",
    metadata,
    Column("task_id", Id, ForeignKey("tasks.id"), primary_key=True),
    Column("run_id", Id, ForeignKey("runs.id"), nullable=False),
    Column("remote_id", FreeText, comment="the remote agent's own ID of the task; null: it has told none"),
    Column("sent_at", UtcDateTime, nullable=False),
    Index(None, "run_id"),
)

events = Table(
    "events",
    metadata,
    Column("run_id", Id, ForeignKey("runs.id"), primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("type", Text, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("data", JSON, nullable=False),
)

idempotency = Table(
    "idempotency",
    metadata,
    Column("workspace_id", Id, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("request_digest", Text, nullable=False),
    Column("status", Integer, nullable=False),
    Column("body_encrypted", LargeBinary, nullable=False, comment="an answer may carry a secret that is shown once"),
    Column("created_at", UtcDateTime, nullable=False),
    Index(None, "created_at"),
)

uploads = Table(
    "uploads",
    metadata,
    Column("id", Id, primary_key=True),
    Column("workspace_id", Id, ForeignKey("workspaces.id"), nullable=False),
    Column("sha256", Text, nullable=False),
    Column("byte_count", BigInteger, nullable=False),
    Column("part_bytes", Integer, nullable=False),
    Column("touched_at", UtcDateTime, nullable=False, comment="when it was last begun; it is forgotten a day later"),
    Index(None, "touched_at"),
)

upload_parts = Table(
    "upload_parts",
    metadata,
    Column("upload_id", Id, ForeignKey("uploads.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("data", LargeBinary, nullable=False),
)

own_benchmarks = Table(
    "own_benchmarks",
    metadata,
    Column("id", Id, primary_key=True),
    Column("workspace_id", Id, ForeignKey("workspaces.id"), nullable=False),
    Column("slug", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("definition", JSON, nullable=False, comment="the manifest as its author wrote it"),
    Column("definition_digest", Text, nullable=False, comment="sha256 of manifest and rows, which never change"),
    Column("content_digest", Text, nullable=False),
    Column("item_count", Integer, nullable=False),
    Column("groups", JSON, nullable=False),
    Column("source_sha256", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("archived_at", UtcDateTime),
    UniqueConstraint("workspace_id", "slug", "version"),
)

own_item_chunks = Table(
    "own_item_chunks",
    metadata,
    Column("benchmark_id", Id, primary_key=True, comment="stored before its benchmark, so that no write is long"),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("data", LargeBinary, nullable=False, comment="items as lines of JSON, compressed"),
    Column("stored_at", UtcDateTime, nullable=False),
)

traces = Table(
    "traces",
    metadata,
    Column("id", Id, primary_key=True, comment="a UUID of version 7, so that IDs ascend by arrival"),
    Column("workspace_id", Id, ForeignKey("workspaces.id"), nullable=False),
    Column("connection_id", Id, ForeignKey("connections.id"), nullable=False),
    Column("source_trace_id", Id, nullable=False),
    Column("name", FreeText),
    Column("name_folded", FreeText),
    Column("status", Text, nullable=False, comment="the root's: ok, error or unset"),
    Column("has_root", Boolean, nullable=False, comment="whether a span without a parent is there"),
    Column("observed", Boolean, nullable=False),
    Column("origins", Text, nullable=False, comment="sorted, with commas"),
    Column("started_ns", BigInteger, nullable=False, comment="nanoseconds since 1970, as all that end in _ns"),
    Column("ended_ns", BigInteger),
    Column("span_count", Integer, nullable=False),
    Column("error_span_count", Integer, nullable=False),
    Column("late_span_count", Integer, nullable=False),
    Column("tokens", Text, nullable=False, comment="sums over model and embedding spans, as JSON"),
    Column("cost_usd", Text, comment="sum of what the source reports, as a decimal"),
    Column("sealed_at", UtcDateTime),
    Column("sealed_span_count", Integer),
    Column("received_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    UniqueConstraint("connection_id", "source_trace_id"),
    Index(None, "workspace_id", "id"),
    Index(None, "expires_at"),
)

trace_spans = Table(
    "trace_spans",
    metadata,
    Column("trace_id", Id, ForeignKey("traces.id"), primary_key=True),
    Column("span_id", Id, primary_key=True),
    Column("parent_span_id", Id),
    Column("started_ns", BigInteger, nullable=False),
    Column("digest", Text, nullable=False, comment="the content digest of the span as it was sent"),
    Column("late", Boolean, nullable=False, comment="whether it arrived after a seal"),
    Column("document", Text, nullable=False, comment="the contract's TraceSpan as JSON in ASCII, as far as it is kept"),
)

trace_batches = Table(
    "trace_batches",
    metadata,
    Column("connection_id", Id, ForeignKey("connections.id"), primary_key=True),
    Column("batch_id", Id, primary_key=True),
    Column("digest", Text, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    Index(None, "expires_at"),
)

settings = Table(
    "settings",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

APPEND_ONLY = (ledger_entries, ledger_checkpoints)


def append_only(table: str, dialect: str) -> tuple[str, ...]:
    """The statements that keep a table of the ledger append-only; PostgreSQL's need `REFUSE_CHANGE`."""
    if dialect == "sqlite":
        return tuple(
            f"CREATE TRIGGER {table}_no_{verb} BEFORE {verb.upper()} ON {table} "
            "BEGIN SELECT RAISE(ABORT, 'ledger entries are never changed or removed'); END"
            for verb in ("update", "delete")
        )
    return (
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()",
    )


REFUSE_CHANGE = (
    "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'ledger entries are never changed or removed'; END $$"
)


def _ddl(statement: str, dialect: str) -> DDL:
    return DDL(statement).execute_if(dialect=dialect)  # type: ignore[no-untyped-call]


event.listen(metadata, "before_create", _ddl(REFUSE_CHANGE, "postgresql"))
for _table in APPEND_ONLY:
    for _dialect in ("sqlite", "postgresql"):
        for _statement in append_only(_table.name, _dialect):
            event.listen(_table, "after_create", _ddl(_statement, _dialect))
