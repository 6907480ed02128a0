"""Remote agents: their connections, runs without a model, and what was sent to them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

ID = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")

REMOTE_ID = "the remote agent's own ID of the task; null: it has told none"

COMMENTS = {
    ("connections", "kind"): "model, trace or a2a; columns of another kind are null",
    ("runs", "model"): "the contract's ModelRef, or the JSON null of a run without a model",
    ("runs", "price"): "the JSON null of a run without a model",
}


def upgrade() -> None:
    """Add the columns of A2A connections, create `remote_tasks`."""
    op.add_column("connections", sa.Column("card_url", sa.Text(), nullable=True))
    op.add_column("connections", sa.Column("key_header", sa.Text(), nullable=True))
    op.add_column("connections", sa.Column("origins", sa.JSON(), nullable=True))
    op.create_table(
        "remote_tasks",
        sa.Column("task_id", ID, nullable=False),
        sa.Column("run_id", ID, nullable=False),
        sa.Column("remote_id", sa.Text(), nullable=True, comment=REMOTE_ID),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_remote_tasks_run_id_runs")),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name=op.f("fk_remote_tasks_task_id_tasks")),
        sa.PrimaryKeyConstraint("task_id", name=op.f("pk_remote_tasks")),
    )
    op.create_index(op.f("ix_remote_tasks_run_id"), "remote_tasks", ["run_id"])
    if op.get_bind().dialect.name == "postgresql":
        for (table, column), comment in COMMENTS.items():
            op.alter_column(table, column, comment=comment)


def downgrade() -> None:
    """Drop what only remote agents need; their runs keep their results, under a model that says what it stands for."""
    op.drop_table("remote_tasks")
    op.execute(sa.text("DELETE FROM connections WHERE kind = 'a2a'"))
    for name in ("card_url", "key_header", "origins"):
        op.drop_column("connections", name)
    runs = sa.table("runs", sa.column("model", sa.JSON), sa.column("price", sa.JSON))
    model = {"id": "model_remote", "slug": "remote-agent", "provider": "remote", "name": "A remote agent's own"}
    price = {"input_usd_per_mtok": "0", "output_usd_per_mtok": "0", "source": "none", "version": "0"}
    op.execute(runs.update().where(sa.cast(runs.c.model, sa.Text) == "null").values(model=model, price=price))
