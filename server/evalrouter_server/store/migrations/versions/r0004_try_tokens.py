"""Tries are found again by who asked for them and did not hear the answer."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

ID = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the token of the question that reserved a try."""
    comment = "names the question that reserved it, so that asking again finds it"
    op.add_column("tries", sa.Column("token", ID, comment=comment))


def downgrade() -> None:
    """Drop the token."""
    op.drop_column("tries", "token")
