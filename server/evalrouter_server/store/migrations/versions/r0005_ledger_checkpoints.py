"""Ledger entries have a position in the order of commits, and checkpoints sum them up to one."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

ID = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
MOMENT = sa.DateTime(timezone=True)
POSITION = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Number the entries that there are by their IDs, and add the table of checkpoints."""
    for name in ("account", "run_id", "workspace_id_id"):
        op.drop_index(op.f(f"ix_ledger_entries_{name}"), "ledger_entries")
    op.rename_table("ledger_entries", "ledger_entries_before")
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint(op.f("pk_ledger_entries"), "ledger_entries_before")
    entries = op.create_table(
        "ledger_entries",
        sa.Column("position", POSITION, autoincrement=True, nullable=False, comment="ascends in the order of commits"),
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
        sa.PrimaryKeyConstraint("position", name=op.f("pk_ledger_entries")),
        sa.UniqueConstraint("id", name=op.f("uq_ledger_entries_id")),
    )
    before = sa.table("ledger_entries_before", *(sa.column(column.name) for column in entries.c))
    names = [column.name for column in entries.c if column.name != "position"]
    copied = sa.select(*(before.c[name] for name in names)).order_by(before.c.id)
    op.execute(entries.insert().from_select(names, copied, include_defaults=False))
    op.drop_table("ledger_entries_before")
    op.create_index(op.f("ix_ledger_entries_account"), "ledger_entries", ["account"])
    op.create_index(op.f("ix_ledger_entries_workspace_id_position"), "ledger_entries", ["workspace_id", "position"])
    op.create_table(
        "ledger_checkpoints",
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column(
            "account",
            sa.Text(),
            nullable=False,
            comment="an account, or the total of a kind of them, such as hold:*",
        ),
        sa.Column("position", sa.BigInteger(), nullable=False, comment="the last entry that it covers"),
        sa.Column("balance_microusd", sa.BigInteger(), nullable=False),
        sa.Column("made_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_ledger_checkpoints_workspace_id_workspaces")
        ),
        sa.PrimaryKeyConstraint("workspace_id", "account", "position", name=op.f("pk_ledger_checkpoints")),
    )
    op.create_index(
        op.f("ix_ledger_checkpoints_workspace_id_position"), "ledger_checkpoints", ["workspace_id", "position"]
    )
    for table in ("ledger_entries", "ledger_checkpoints"):
        if op.get_bind().dialect.name == "sqlite":
            for verb in ("update", "delete"):
                op.execute(
                    f"CREATE TRIGGER {table}_no_{verb} BEFORE {verb.upper()} ON {table} "
                    "BEGIN SELECT RAISE(ABORT, 'ledger entries are never changed or removed'); END"
                )
        else:
            op.execute(
                f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
            )
