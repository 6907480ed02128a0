"""Connections that take traces, what came in over them, and a switch for both."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

ID = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Widen connections, which are made anew since SQLite cannot loosen a column, and add the tables of traces."""
    on = sa.true()
    op.add_column(
        "workspaces",
        sa.Column("traces_enabled", sa.Boolean(), nullable=False, server_default=on, comment="the Traces switch"),
    )
    _widen_connections()
    _add_traces()


def _widen_connections() -> None:
    for name in ("ix_connections_model_id", "ix_connections_workspace_id_id", "uq_connections_live_name"):
        op.drop_index(name, "connections")
    op.rename_table("connections", "connections_before")
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint(op.f("pk_connections"), "connections_before")
    connections = op.create_table(
        "connections",
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_folded", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False, comment="model or trace; columns of the other kind are null"),
        sa.Column("base_url", sa.Text(), nullable=True),
        sa.Column("upstream_model", sa.Text(), nullable=True),
        sa.Column("model_id", ID, nullable=True),
        sa.Column("price", sa.JSON(), nullable=True),
        sa.Column("key_encrypted", sa.LargeBinary(), nullable=True),
        sa.Column("key_env", sa.Text(), nullable=True),
        sa.Column("ingest_key_hash", sa.Text(), nullable=True, comment="sha256 of a trace connection's key"),
        sa.Column("ingest_key_prefix", sa.Text(), nullable=True),
        sa.Column("ingest_key_revoked_at", MOMENT, nullable=True),
        sa.Column("stores_content", sa.Boolean(), nullable=True),
        sa.Column("retention_days", sa.Integer(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("deleted_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_connections_workspace_id_workspaces")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_connections")),
    )
    added = {"ingest_key_hash", "ingest_key_prefix", "ingest_key_revoked_at", "stores_content", "retention_days"}
    names = [column.name for column in connections.c if column.name not in added]
    before = sa.table("connections_before", *(sa.column(name) for name in names))
    copied = sa.select(*(before.c[name] for name in names))
    op.execute(connections.insert().from_select(names, copied, include_defaults=False))
    op.drop_table("connections_before")
    op.create_index(op.f("ix_connections_model_id"), "connections", ["model_id"])
    op.create_index(op.f("ix_connections_workspace_id_id"), "connections", ["workspace_id", "id"])
    op.create_index(op.f("ix_connections_ingest_key_hash"), "connections", ["ingest_key_hash"], unique=True)
    op.create_index(
        "uq_connections_live_name",
        "connections",
        ["workspace_id", "name_folded"],
        unique=True,
        sqlite_where=sa.text("deleted_at IS NULL"),
        postgresql_where=sa.text("deleted_at IS NULL"),
    )


def _add_traces() -> None:
    op.create_table(
        "traces",
        sa.Column("id", ID, nullable=False, comment="a UUID of version 7, so that IDs ascend by arrival"),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("connection_id", ID, nullable=False),
        sa.Column("source_trace_id", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("name_folded", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False, comment="the root's: ok, error or unset"),
        sa.Column("has_root", sa.Boolean(), nullable=False, comment="whether a span without a parent is there"),
        sa.Column("observed", sa.Boolean(), nullable=False),
        sa.Column("origins", sa.Text(), nullable=False, comment="sorted, with commas"),
        sa.Column(
            "started_ns", sa.BigInteger(), nullable=False, comment="nanoseconds since 1970, as all that end in _ns"
        ),
        sa.Column("ended_ns", sa.BigInteger(), nullable=True),
        sa.Column("span_count", sa.Integer(), nullable=False),
        sa.Column("error_span_count", sa.Integer(), nullable=False),
        sa.Column("late_span_count", sa.Integer(), nullable=False),
        sa.Column("tokens", sa.Text(), nullable=False, comment="sums over model and embedding spans, as JSON"),
        sa.Column("cost_usd", sa.Text(), nullable=True, comment="sum of what the source reports, as a decimal"),
        sa.Column("sealed_at", MOMENT, nullable=True),
        sa.Column("sealed_span_count", sa.Integer(), nullable=True),
        sa.Column("received_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["connection_id"], ["connections.id"], name=op.f("fk_traces_connection_id_connections")
        ),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name=op.f("fk_traces_workspace_id_workspaces")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_traces")),
        sa.UniqueConstraint("connection_id", "source_trace_id", name=op.f("uq_traces_connection_id_source_trace_id")),
    )
    op.create_index(op.f("ix_traces_workspace_id_id"), "traces", ["workspace_id", "id"])
    op.create_index(op.f("ix_traces_expires_at"), "traces", ["expires_at"])
    op.create_table(
        "trace_spans",
        sa.Column("trace_id", ID, nullable=False),
        sa.Column("span_id", ID, nullable=False),
        sa.Column("parent_span_id", ID, nullable=True),
        sa.Column("started_ns", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False, comment="the content digest of the span as it was sent"),
        sa.Column("late", sa.Boolean(), nullable=False, comment="whether it arrived after a seal"),
        sa.Column(
            "document",
            sa.Text(),
            nullable=False,
            comment="the contract's TraceSpan as JSON in ASCII, as far as it is kept",
        ),
        sa.ForeignKeyConstraint(["trace_id"], ["traces.id"], name=op.f("fk_trace_spans_trace_id_traces")),
        sa.PrimaryKeyConstraint("trace_id", "span_id", name=op.f("pk_trace_spans")),
    )
    op.create_table(
        "trace_batches",
        sa.Column("connection_id", ID, nullable=False),
        sa.Column("batch_id", ID, nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["connection_id"], ["connections.id"], name=op.f("fk_trace_batches_connection_id_connections")
        ),
        sa.PrimaryKeyConstraint("connection_id", "batch_id", name=op.f("pk_trace_batches")),
    )
    op.create_index(op.f("ix_trace_batches_expires_at"), "trace_batches", ["expires_at"])
