"""The schema of the first release."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

ID = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create every table, and what keeps the ledger append-only."""
    op.create_table(
        "idempotency",
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("request_digest", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column(
            "body_encrypted",
            sa.LargeBinary(),
            nullable=False,
            comment="an answer may carry a secret that is shown once",
        ),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "key", name=op.f("pk_idempotency")),
    )
    op.create_index(op.f("ix_idempotency_created_at"), "idempotency", ["created_at"])
    op.create_table(
        "settings",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_settings")),
    )
    op.create_table(
        "workspaces",
        sa.Column("id", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("available_microusd", sa.BigInteger(), nullable=False),
        sa.Column(
            "held_microusd", sa.BigInteger(), nullable=False, comment="sum of the caps of runs that have not ended"
        ),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.CheckConstraint("available_microusd >= 0", name=op.f("ck_workspaces_available")),
        sa.CheckConstraint("held_microusd >= 0", name=op.f("ck_workspaces_held")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workspaces")),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False, comment="sha256 of the secret, which has 256 random bits"),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("ceiling_microusd", sa.BigInteger(), nullable=True),
        sa.Column(
            "committed_microusd", sa.BigInteger(), nullable=False, comment="charges and holds of what the key started"
        ),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("revoked_at", MOMENT, nullable=True),
        sa.CheckConstraint(
            "ceiling_microusd IS NULL OR committed_microusd <= ceiling_microusd", name=op.f("ck_api_keys_ceiling")
        ),
        sa.CheckConstraint("committed_microusd >= 0", name=op.f("ck_api_keys_committed")),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name=op.f("fk_api_keys_workspace_id_workspaces")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("hash", name=op.f("uq_api_keys_hash")),
    )
    op.create_index(op.f("ix_api_keys_workspace_id_id"), "api_keys", ["workspace_id", "id"])
    op.create_table(
        "connections",
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_folded", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("base_url", sa.Text(), nullable=False),
        sa.Column("upstream_model", sa.Text(), nullable=False),
        sa.Column("model_id", ID, nullable=False),
        sa.Column("price", sa.JSON(), nullable=False),
        sa.Column("key_encrypted", sa.LargeBinary(), nullable=True),
        sa.Column("key_env", sa.Text(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("deleted_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_connections_workspace_id_workspaces")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_connections")),
    )
    op.create_index(op.f("ix_connections_model_id"), "connections", ["model_id"])
    op.create_index(op.f("ix_connections_workspace_id_id"), "connections", ["workspace_id", "id"])
    op.create_index(
        "uq_connections_live_name",
        "connections",
        ["workspace_id", "name_folded"],
        unique=True,
        sqlite_where=sa.text("deleted_at IS NULL"),
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_table(
        "ledger_entries",
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("transaction_id", ID, nullable=False, comment="entries of one transaction add up to zero"),
        sa.Column("kind", sa.Text(), nullable=False, comment="top_up, hold, charge or release"),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("amount_microusd", sa.BigInteger(), nullable=False),
        sa.Column("run_id", ID, nullable=True),
        sa.Column("call_id", ID, nullable=True),
        sa.Column("try_number", sa.Integer(), nullable=True),
        sa.Column("top_up_id", ID, nullable=True),
        sa.Column("key_id", ID, nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("posted_at", MOMENT, nullable=False),
        sa.CheckConstraint("amount_microusd <> 0", name=op.f("ck_ledger_entries_amount")),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_ledger_entries_workspace_id_workspaces")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ledger_entries")),
    )
    op.create_index(op.f("ix_ledger_entries_account"), "ledger_entries", ["account"])
    op.create_index(op.f("ix_ledger_entries_run_id"), "ledger_entries", ["run_id"])
    op.create_index(op.f("ix_ledger_entries_workspace_id_id"), "ledger_entries", ["workspace_id", "id"])
    op.create_table(
        "quotes",
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("key_id", ID, nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False, comment="the contract's RunSpec"),
        sa.Column("plan", sa.JSON(), nullable=False),
        sa.Column("maximum_charge_microusd", sa.BigInteger(), nullable=False),
        sa.Column("max_cost_microusd", sa.BigInteger(), nullable=True),
        sa.Column("within_max_cost", sa.Boolean(), nullable=False),
        sa.Column("shortfall_microusd", sa.BigInteger(), nullable=False),
        sa.Column("largest_sample_count", sa.Integer(), nullable=True),
        sa.Column("run_id", ID, nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name=op.f("fk_quotes_workspace_id_workspaces")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_quotes")),
    )
    op.create_table(
        "runs",
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("key_id", ID, nullable=False),
        sa.Column("quote_id", ID, nullable=False),
        sa.Column("dedupe_key", sa.Text(), nullable=False),
        sa.Column("spec_digest", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("status_reason", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.Column("benchmark", sa.JSON(), nullable=False, comment="the contract's BenchmarkRef"),
        sa.Column("model", sa.JSON(), nullable=False, comment="the contract's ModelRef"),
        sa.Column("connection_id", ID, nullable=True),
        sa.Column("price", sa.JSON(), nullable=False),
        sa.Column("coverage", sa.JSON(), nullable=False, comment="the contract's CoveragePlan"),
        sa.Column("concurrency", sa.Integer(), nullable=False),
        sa.Column("repeats", sa.Integer(), nullable=False),
        sa.Column("cap_microusd", sa.BigInteger(), nullable=False),
        sa.Column("max_cost_microusd", sa.BigInteger(), nullable=True),
        sa.Column("maximum_charge_microusd", sa.BigInteger(), nullable=False),
        sa.Column("reserved_microusd", sa.BigInteger(), nullable=False),
        sa.Column("spent_microusd", sa.BigInteger(), nullable=False),
        sa.Column("overage_microusd", sa.BigInteger(), nullable=False),
        sa.Column("hold_released", sa.Boolean(), nullable=False),
        sa.Column("selected", sa.Integer(), nullable=False),
        sa.Column("graded", sa.Integer(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("groups", sa.JSON(), nullable=False),
        sa.Column("flags", sa.JSON(), nullable=False),
        sa.Column("models_served", sa.JSON(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("started_at", MOMENT, nullable=True),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.CheckConstraint("reserved_microusd >= 0", name=op.f("ck_runs_reserved")),
        sa.CheckConstraint("spent_microusd + reserved_microusd <= cap_microusd", name=op.f("ck_runs_cap")),
        sa.CheckConstraint("spent_microusd >= 0", name=op.f("ck_runs_spent")),
        sa.ForeignKeyConstraint(["key_id"], ["api_keys.id"], name=op.f("fk_runs_key_id_api_keys")),
        sa.ForeignKeyConstraint(["quote_id"], ["quotes.id"], name=op.f("fk_runs_quote_id_quotes")),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name=op.f("fk_runs_workspace_id_workspaces")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("workspace_id", "dedupe_key", name=op.f("uq_runs_workspace_id_dedupe_key")),
    )
    op.create_index(op.f("ix_runs_status"), "runs", ["status"])
    op.create_index(op.f("ix_runs_workspace_id_id"), "runs", ["workspace_id", "id"])
    op.create_index(op.f("ix_runs_workspace_id_status_id"), "runs", ["workspace_id", "status", "id"])
    op.create_table(
        "calls",
        sa.Column("id", ID, nullable=False),
        sa.Column("run_id", ID, nullable=False),
        sa.Column("task_id", ID, nullable=True),
        sa.Column(
            "call_key",
            sa.Text(),
            nullable=False,
            comment="names the logical call within its run; a settled one is replayed",
        ),
        sa.Column("gateway_key_id", ID, nullable=True),
        sa.Column("wire", sa.Text(), nullable=False),
        sa.Column("streamed", sa.Boolean(), nullable=False),
        sa.Column("model_requested", sa.Text(), nullable=False),
        sa.Column("model_served", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False, comment="open, settled, released or unknown"),
        sa.Column("usage", sa.JSON(), nullable=True),
        sa.Column("usage_source", sa.Text(), nullable=True),
        sa.Column("charge_microusd", sa.BigInteger(), nullable=False),
        sa.Column("overage_microusd", sa.BigInteger(), nullable=False),
        sa.Column("provider_cost_microusd", sa.BigInteger(), nullable=True),
        sa.Column(
            "response", sa.JSON(), nullable=True, comment="kept for the built-in runner, which replays it after a crash"
        ),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_calls_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_calls")),
        sa.UniqueConstraint("run_id", "call_key", name=op.f("uq_calls_run_id_call_key")),
    )
    op.create_index(op.f("ix_calls_run_id_id"), "calls", ["run_id", "id"])
    op.create_table(
        "events",
        sa.Column("run_id", ID, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_events_run_id_runs")),
        sa.PrimaryKeyConstraint("run_id", "seq", name=op.f("pk_events")),
    )
    op.create_table(
        "gateway_keys",
        sa.Column("id", ID, nullable=False),
        sa.Column("run_id", ID, nullable=False),
        sa.Column("task_id", ID, nullable=True),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("revoked_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_gateway_keys_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gateway_keys")),
        sa.UniqueConstraint("hash", name=op.f("uq_gateway_keys_hash")),
    )
    op.create_index(op.f("ix_gateway_keys_run_id"), "gateway_keys", ["run_id"])
    op.create_table(
        "tasks",
        sa.Column("id", ID, nullable=False),
        sa.Column("run_id", ID, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False, comment="place in the plan, repeats included"),
        sa.Column("item_id", ID, nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False, comment="pending, claimed, graded, failed or dropped"),
        sa.Column("owner", ID, nullable=True),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("claimed_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_tasks_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tasks")),
        sa.UniqueConstraint("run_id", "position", name=op.f("uq_tasks_run_id_position")),
    )
    op.create_index(op.f("ix_tasks_run_id_status_position"), "tasks", ["run_id", "status", "position"])
    op.create_table(
        "results",
        sa.Column("task_id", ID, nullable=False),
        sa.Column("run_id", ID, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("item_id", ID, nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("group", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False, comment="graded or failed"),
        sa.Column("inputs", sa.JSON(), nullable=False),
        sa.Column("output", sa.Text(), nullable=True),
        sa.Column("target", sa.JSON(), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("correct", sa.Boolean(), nullable=True),
        sa.Column("extracted", sa.Text(), nullable=True),
        sa.Column("rule", sa.Text(), nullable=True),
        sa.Column("finish_reason", sa.Text(), nullable=True),
        sa.Column("usage", sa.JSON(), nullable=False),
        sa.Column("charge_microusd", sa.BigInteger(), nullable=False),
        sa.Column("latency_seconds", sa.Float(), nullable=True),
        sa.Column("model_served", sa.Text(), nullable=True),
        sa.Column("error", sa.JSON(), nullable=True),
        sa.Column("ended_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_results_run_id_runs")),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name=op.f("fk_results_task_id_tasks")),
        sa.PrimaryKeyConstraint("task_id", name=op.f("pk_results")),
        sa.UniqueConstraint("run_id", "position", name=op.f("uq_results_run_id_position")),
    )
    op.create_table(
        "tries",
        sa.Column("call_id", ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("run_id", ID, nullable=False),
        sa.Column("owner", ID, nullable=False, comment="the process instance that sent it"),
        sa.Column("status", sa.Text(), nullable=False, comment="open, settled, released or unknown"),
        sa.Column("reservation_microusd", sa.BigInteger(), nullable=False),
        sa.Column("charge_microusd", sa.BigInteger(), nullable=False),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.CheckConstraint("charge_microusd BETWEEN 0 AND reservation_microusd", name=op.f("ck_tries_charge")),
        sa.ForeignKeyConstraint(["call_id"], ["calls.id"], name=op.f("fk_tries_call_id_calls")),
        sa.PrimaryKeyConstraint("call_id", "number", name=op.f("pk_tries")),
    )
    op.create_index(
        "ix_tries_open",
        "tries",
        ["owner"],
        sqlite_where=sa.text("status = 'open'"),
        postgresql_where=sa.text("status = 'open'"),
    )
    op.create_index(op.f("ix_tries_run_id_status"), "tries", ["run_id", "status"])
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("update", "delete"):
            op.execute(
                f"CREATE TRIGGER ledger_entries_no_{verb} BEFORE {verb.upper()} ON ledger_entries "
                "BEGIN SELECT RAISE(ABORT, 'ledger entries are never changed or removed'); END"
            )
    else:
        op.execute(
            "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'ledger entries are never changed or removed'; END $$"
        )
        op.execute(
            "CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
