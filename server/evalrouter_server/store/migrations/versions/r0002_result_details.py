"""What a grader notes beside its verdict."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add `results.details`."""
    op.add_column(
        "results", sa.Column("details", sa.JSON(), nullable=True, comment="what the grader notes beside its verdict")
    )


def downgrade() -> None:
    """Drop `results.details`."""
    op.drop_column("results", "details")
