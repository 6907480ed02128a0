"""Benchmarks of one's own, and the files that their rows come from."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

ID = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create `uploads`, `upload_parts`, `own_benchmarks` and `own_item_chunks`."""
    op.create_table(
        "uploads",
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("byte_count", sa.BigInteger(), nullable=False),
        sa.Column("part_bytes", sa.Integer(), nullable=False),
        sa.Column("touched_at", MOMENT, nullable=False, comment="when it was last begun; it is forgotten a day later"),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name=op.f("fk_uploads_workspace_id_workspaces")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_uploads")),
    )
    op.create_index(op.f("ix_uploads_touched_at"), "uploads", ["touched_at"])
    op.create_table(
        "upload_parts",
        sa.Column("upload_id", ID, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["upload_id"], ["uploads.id"], name=op.f("fk_upload_parts_upload_id_uploads")),
        sa.PrimaryKeyConstraint("upload_id", "number", name=op.f("pk_upload_parts")),
    )
    op.create_table(
        "own_benchmarks",
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("definition", sa.JSON(), nullable=False, comment="the manifest as its author wrote it"),
        sa.Column(
            "definition_digest",
            sa.Text(),
            nullable=False,
            comment="sha256 of manifest and rows, which never change",
        ),
        sa.Column("content_digest", sa.Text(), nullable=False),
        sa.Column("item_count", sa.Integer(), nullable=False),
        sa.Column("groups", sa.JSON(), nullable=False),
        sa.Column("source_sha256", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("archived_at", MOMENT),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_own_benchmarks_workspace_id_workspaces")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_own_benchmarks")),
        sa.UniqueConstraint(
            "workspace_id", "slug", "version", name=op.f("uq_own_benchmarks_workspace_id_slug_version")
        ),
    )
    op.create_table(
        "own_item_chunks",
        sa.Column("benchmark_id", ID, nullable=False, comment="stored before its benchmark, so that no write is long"),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False, comment="items as lines of JSON, compressed"),
        sa.Column("stored_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("benchmark_id", "number", name=op.f("pk_own_item_chunks")),
    )


def downgrade() -> None:
    """Drop the four tables."""
    for name in ("own_item_chunks", "own_benchmarks", "upload_parts", "uploads"):
        op.drop_table(name)
