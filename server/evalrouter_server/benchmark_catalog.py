"""Every benchmark that a workspace sees: those that this package ships, and the workspace's own."""

from collections.abc import Sequence

from evalrouter_server.catalog.benchmarks import Benchmark, Benchmarks, version_order
from evalrouter_server.catalog.manifest import Manifest
from evalrouter_server.own_benchmarks.definition import Definition, OwnManifest, own_manifest
from evalrouter_server.store import own_benchmarks
from evalrouter_server.store.database import Database
from evalrouter_server.store.own_benchmarks import OwnBenchmarkRow


class BenchmarkCatalog:
    """The benchmarks of all workspaces, each shown its own.

    Args:
        shipped: The benchmarks of this package.
        database: Where workspaces' own ones are.

    Attributes:
        shipped: The benchmarks of this package.
    """

    def __init__(self, shipped: Benchmarks, database: Database) -> None:
        self.shipped = shipped
        self._database = database

    async def all(self, workspace_id: str) -> list[Benchmark]:
        """Every version that the workspace sees, by slug and version."""
        own = await self._own(workspace_id)
        return sorted(
            (*self.shipped.all(), *own), key=lambda manifest: (manifest.slug, version_order(manifest.version))
        )

    async def match(self, workspace_id: str, text: str) -> list[Benchmark]:
        """The versions that a text names, as `Benchmarks.match` has it; a slug of the catalog means the catalog's.

        Args:
            workspace_id: The workspace.
            text: An ID, `slug`, `slug@version` or a display name.
        """
        found = self.shipped.match(text)
        slug = text.partition("@")[0].casefold()
        if any(manifest.id == text or manifest.slug == slug for manifest in found):
            return found
        return [*found, *Benchmarks(await self._own(workspace_id)).match(text)]

    async def get(self, workspace_id: str, benchmark_id: str, *, archived: bool = False) -> Benchmark | None:
        """The version with this ID that the workspace sees; None where there is none.

        Args:
            workspace_id: The workspace.
            benchmark_id: The ID.
            archived: Whether an archived version counts.
        """
        manifest = await self.load(benchmark_id)
        if isinstance(manifest, OwnManifest):
            visible = manifest.workspace_id == workspace_id and (archived or not manifest.archived)
            return manifest if visible else None
        return manifest

    async def load(self, benchmark_id: str) -> Benchmark | None:
        """The version with this ID, whosesoever it is and archived too, as the runs of it need it."""
        manifest = self.shipped.get(benchmark_id)
        if manifest is not None:
            return manifest
        row = await self._database.read(lambda conn: own_benchmarks.load(conn, benchmark_id))
        if row is None:
            return None
        newest = await self._database.read(lambda conn: own_benchmarks.newest_live(conn, row.workspace_id, row.slug))
        return manifest_of(row, default=row.version == newest)

    async def template_of(self, benchmark_id: str) -> str | None:
        """The template of the version's prompts; None where there is none, as of another harness's task."""
        manifest = await self.load(benchmark_id)
        return manifest.protocol.user if isinstance(manifest, Manifest) else None

    async def _own(self, workspace_id: str) -> Sequence[OwnManifest]:
        rows = await self._database.read(lambda conn: own_benchmarks.list_live(conn, workspace_id))
        newest = {row.slug: row.version for row in rows}
        return [manifest_of(row, default=newest[row.slug] == row.version) for row in rows]


def manifest_of(row: OwnBenchmarkRow, *, default: bool) -> OwnManifest:
    """The manifest of a stored version.

    Args:
        row: The version.
        default: Whether the bare slug means it.
    """
    return own_manifest(
        Definition.model_validate(row.definition),
        row_id=row.id,
        workspace_id=row.workspace_id,
        version=row.version,
        default=default,
        archived=row.archived_at is not None,
        item_count=row.item_count,
        content_digest=row.content_digest,
        groups=row.groups,
        source_sha256=row.source_sha256,
    )
