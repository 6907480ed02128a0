"""Runs with an agent: delivery keys, and leases of tasks."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

ID = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add `runs.agent`, create `delivery_keys` and `leases`."""
    comment = "the contract's AgentRef; null: the server asks the model itself"
    op.add_column("runs", sa.Column("agent", sa.JSON(), comment=comment))
    op.create_table(
        "delivery_keys",
        sa.Column("id", ID, nullable=False),
        sa.Column("run_id", ID, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False, comment="when its client last leased or renewed"),
        sa.Column("revoked_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_delivery_keys_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_delivery_keys")),
        sa.UniqueConstraint("hash", name=op.f("uq_delivery_keys_hash")),
    )
    op.create_index(op.f("ix_delivery_keys_run_id"), "delivery_keys", ["run_id"])
    op.create_table(
        "leases",
        sa.Column("id", ID, nullable=False),
        sa.Column("run_id", ID, nullable=False),
        sa.Column("task_id", ID, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("item_id", ID, nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False, comment="of the claim on the task"),
        sa.Column("delivery_key_id", ID, nullable=False),
        sa.Column("gateway_key_id", ID, nullable=False),
        sa.Column(
            "status", sa.Text(), nullable=False, comment="open, submitted, done, graded, failed, returned or ended"
        ),
        sa.Column("settled", sa.Boolean(), nullable=False, comment="whether nothing more will come of it"),
        sa.Column("reason", sa.Text(), nullable=True, comment="why it ended where the client did not end it"),
        sa.Column("stopped_by", sa.Text(), nullable=True, comment="why its model calls were refused for the whole run"),
        sa.Column("output", sa.Text(), nullable=True),
        sa.Column("error", sa.JSON(), nullable=True, comment="code, message and details of a failure"),
        sa.Column("note_count", sa.Integer(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False, comment="renewing puts it off"),
        sa.Column("deadline", MOMENT, nullable=False, comment="nothing puts it off"),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["delivery_key_id"], ["delivery_keys.id"], name=op.f("fk_leases_delivery_key_id_delivery_keys")
        ),
        sa.ForeignKeyConstraint(
            ["gateway_key_id"], ["gateway_keys.id"], name=op.f("fk_leases_gateway_key_id_gateway_keys")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_leases_run_id_runs")),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name=op.f("fk_leases_task_id_tasks")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leases")),
    )
    op.create_index(op.f("ix_leases_run_id_settled"), "leases", ["run_id", "settled"])
    op.create_index(op.f("ix_leases_task_id"), "leases", ["task_id"])
    op.create_index(op.f("ix_leases_gateway_key_id"), "leases", ["gateway_key_id"])


def downgrade() -> None:
    """Drop `leases`, `delivery_keys` and `runs.agent`."""
    for name in ("leases", "delivery_keys"):
        op.drop_table(name)
    op.drop_column("runs", "agent")
