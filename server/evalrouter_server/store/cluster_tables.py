"""The tables of several processes that work on one PostgreSQL database; on SQLite they stay empty."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Table, Text

from evalrouter_server.store.columns import Id, UtcDateTime, metadata

instances = Table(
    "instances",
    metadata,
    Column("id", Id, primary_key=True),
    Column("kind", Text, nullable=False, comment="server or worker"),
    Column("name", Text, nullable=False, comment="host and process ID, for people"),
    Column("version", Text, nullable=False, comment="of the package"),
    Column("lock_number", BigInteger, nullable=False, comment="the advisory lock that its connection holds"),
    Column("started_at", UtcDateTime, nullable=False, comment="all of an instance's times are the database's"),
    Column("seen_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime, comment="an ended instance owns nothing and never comes back"),
    Index(None, "ended_at"),
)

slots = Table(
    "slots",
    metadata,
    Column("id", Id, primary_key=True, comment="owns the claims of its lanes; without the row they cannot claim"),
    Column("run_id", Id, ForeignKey("runs.id"), nullable=False),
    Column("instance_id", Id, ForeignKey("instances.id"), nullable=False),
    Column("workspace_id", Id, nullable=False),
    Column("provider", Text, nullable=False, comment="whose limit the lanes count towards"),
    Column("lanes", Integer, nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    Index(None, "run_id"),
    Index(None, "instance_id"),
)
