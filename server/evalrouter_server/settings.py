"""Settings of the service: from arguments, else from environment variables that start with `EVALROUTER_SERVER_`."""

import os
from pathlib import Path
from typing import Annotated, Literal

from platformdirs import user_data_path
from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy import URL

from evalrouter_server.store.database import normalise_url


def default_data_dir() -> Path:
    """The folder of a served instance: beside that of the embedded server, which `EVALROUTER_DATA_DIR` moves."""
    return Path(os.environ.get("EVALROUTER_DATA_DIR") or user_data_path("evalrouter")) / "server"


class Settings(BaseSettings):
    """What a service is told at its start.

    Attributes:
        data_dir: The folder of the database file, the secret and fetched benchmark data.
        database: `sqlite:///PATH` or `postgresql://USER@HOST/NAME`; None: a SQLite file in the data folder.
        host: The address to listen on.
        port: The port to listen on; 0 lets the system choose.
        embedded: Whether the service lives inside a user's process and pauses with it.
        log_format: `plain` lines for people or `json` lines for programs.
        starting_allowance_microusd: What the wallet of a new workspace starts with, in micro-USD.
        quote_seconds: How long a quote can be started, in seconds.
        body_limit_bytes: The largest request body, in bytes.
        prices: The operator's own file of prices; None: none.
        default_concurrency: Tasks side by side in a run that asks for nothing.
        gateway_concurrency: The most tasks side by side that one run may have.
        worker_concurrency: On PostgreSQL, the most tasks side by side that this process works on; 0: workers do.
        workspace_concurrency: On PostgreSQL, the most tasks side by side of one workspace on all machines; None: any.
        provider_concurrency: The same of a provider, by its name or a connection's ID; `*` stands for each other one.
        monitoring_host: The address that operators' questions are answered on.
        monitoring_port: The port of `/live`, `/ready` and `/metrics`; None: none.
        drain_seconds: How long tasks in flight may take once the process is told to stop, in seconds.
    """

    model_config = SettingsConfigDict(env_prefix="EVALROUTER_SERVER_", extra="ignore", frozen=True)

    data_dir: Path = Field(default_factory=default_data_dir)
    database: str | None = None
    host: str = "127.0.0.1"
    port: int = Field(default=8380, ge=0, le=65535)
    embedded: bool = False
    log_format: Literal["plain", "json"] = "plain"
    starting_allowance_microusd: int = Field(default=20_000_000, ge=0)
    quote_seconds: int = Field(default=3600, ge=1)
    body_limit_bytes: int = Field(default=1024 * 1024, ge=1024)
    prices: Path | None = None
    default_concurrency: int = Field(default=16, ge=1)
    gateway_concurrency: int = Field(default=256, ge=1)
    worker_concurrency: int = Field(default=256, ge=0)
    workspace_concurrency: int | None = Field(default=None, ge=1)
    monitoring_host: str = "127.0.0.1"
    monitoring_port: int | None = Field(default=None, ge=0, le=65535)
    drain_seconds: int = Field(default=10, ge=0)
    provider_concurrency: dict[str, Annotated[int, Field(ge=1)]] = Field(default_factory=dict)

    @property
    def database_url(self) -> str | URL:
        """The database's URL; that of a file in the data folder is no text, in which a `?` of the path would end it."""
        return self.database or URL.create("sqlite", database=str(self.data_dir / "evalrouter.db"))

    @property
    def is_distributed(self) -> bool:
        """Whether several processes may work on the database."""
        return normalise_url(self.database_url).get_backend_name() == "postgresql"

    @property
    def cache_dir(self) -> Path:
        """Where fetched benchmark data and model weights are kept."""
        return self.data_dir / "cache"

    @property
    def adopted_dir(self) -> Path:
        """Where the manifests of other harnesses' tasks are kept that were taken up."""
        return self.data_dir / "harness-tasks"
