"""Several processes on one database: instances, and the slots that they have of runs."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

ID = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create `instances` and `slots`, add `runs.closing_reason`."""
    comment = "why no further task of it is begun, though it has not ended yet"
    op.add_column("runs", sa.Column("closing_reason", sa.Text(), comment=comment))
    op.create_table(
        "instances",
        sa.Column("id", ID, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False, comment="server or worker"),
        sa.Column("name", sa.Text(), nullable=False, comment="host and process ID, for people"),
        sa.Column("version", sa.Text(), nullable=False, comment="of the package"),
        sa.Column(
            "lock_number", sa.BigInteger(), nullable=False, comment="the advisory lock that its connection holds"
        ),
        sa.Column("started_at", MOMENT, nullable=False, comment="all of an instance's times are the database's"),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.Column("ended_at", MOMENT, comment="an ended instance owns nothing and never comes back"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_instances")),
    )
    op.create_index(op.f("ix_instances_ended_at"), "instances", ["ended_at"])
    op.create_table(
        "slots",
        sa.Column("id", ID, nullable=False, comment="owns the claims of its lanes; without the row they cannot claim"),
        sa.Column("run_id", ID, nullable=False),
        sa.Column("instance_id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("provider", sa.Text(), nullable=False, comment="whose limit the lanes count towards"),
        sa.Column("lanes", sa.Integer(), nullable=False),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_slots_run_id_runs")),
        sa.ForeignKeyConstraint(["instance_id"], ["instances.id"], name=op.f("fk_slots_instance_id_instances")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_slots")),
    )
    op.create_index(op.f("ix_slots_run_id"), "slots", ["run_id"])
    op.create_index(op.f("ix_slots_instance_id"), "slots", ["instance_id"])


def downgrade() -> None:
    """Drop what this added; no process may work on the database."""
    op.drop_table("slots")
    op.drop_table("instances")
    op.drop_column("runs", "closing_reason")
