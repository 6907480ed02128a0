"""A registry agent as an `Agent`: allowed or refused, installed when it is first needed, started by its recipe."""

import hashlib
import json
import threading
from collections.abc import Mapping

from evalrouter.agents.acp.agent import AcpAgent
from evalrouter.agents.acp.permissions import Permission
from evalrouter.agents.additions import Additions, checked_additions
from evalrouter.agents.agent import SECONDS_PER_TASK, AgentSpec, Progress, silent
from evalrouter.agents.launch import AgentLaunch, ModelAccess
from evalrouter.agents.registry.entries import Entry
from evalrouter.agents.registry.install import install, installation_key
from evalrouter.agents.registry.recipes import RECIPES, Setup
from evalrouter.agents.registry.sources import find_entry, load_registries
from evalrouter.agents.registry.store import AgentStore, Installed, default_store
from evalrouter.errors import InvalidArgumentError

PROBE = ModelAccess("https://gateway.invalid/v1", "key", "model")
"""What a recipe is asked with where only what it always says is wanted."""


class RegistryAgent(AcpAgent):
    """An agent of the ACP registry; `registry_agent` makes one.

    Attributes:
        entry: What the registry says of it.

    Args:
        entry: What the registry says of it.
        store: Where installed agents are.
        permission: How its requests for permission are answered.
        env: Further variables, which win.
        files: Further files in its HOME, content by relative path, which win.
        timeout: The most time for a task, in seconds.
    """

    def __init__(
        self,
        entry: Entry,
        store: AgentStore,
        *,
        permission: Permission = "allow-in-workdir",
        env: Mapping[str, str] | None = None,
        files: Mapping[str, str] | None = None,
        timeout: float = SECONDS_PER_TASK,
    ) -> None:
        self.entry = entry
        self._store = store
        self._additions = checked_additions(env, files)
        self._installed: Installed | None = None
        self._guard = threading.Lock()
        recipe = RECIPES.get(entry.id)
        spec = AgentSpec(
            kind="registry",
            name=entry.id,
            digest=self._digest(permission),
            version=entry.version,
            integrity=entry.integrity,
            model_aliases=recipe.model_aliases if recipe else (),
        )
        super().__init__(spec, self.launch, additions=self._additions, permission=permission, timeout=timeout)

    @property
    def is_changed(self) -> bool:
        """Whether it has variables, files or a permission policy beside what its recipe says."""
        return bool(self._additions.env or self._additions.files) or self._permission != "allow-in-workdir"

    def prepare(self, progress: Progress = silent) -> Installed:
        """Installs the agent where it is not there yet.

        Args:
            progress: Told what is going on.

        Raises:
            AgentInstallError: It cannot be installed.
        """
        with self._guard:
            if self._installed is None:
                self._installed = install(self.entry, self._store, progress)
            return self._installed

    def launch(self, access: ModelAccess) -> AgentLaunch:
        """How the installed agent is started for a task.

        Args:
            access: How it reaches the model.

        Raises:
            AgentInstallError: It is not installed and cannot be.
        """
        return describe_launch(self.entry, self.prepare(), access, self._additions, self.spec().digest)

    def _digest(self, permission: str) -> str:
        recipe = RECIPES.get(self.entry.id)
        setup = recipe.setup(PROBE) if recipe else Setup()
        parts = [
            installation_key(self.entry),
            [list(setup.args), sorted(setup.env.items()), sorted(setup.files.items())],
            permission,
            self._additions.digest(),
        ]
        return f"sha256:{hashlib.sha256(json.dumps(parts).encode()).hexdigest()}"


def describe_launch(
    entry: Entry,
    installed: Installed,
    access: ModelAccess,
    additions: Additions,
    digest: str,
) -> AgentLaunch:
    """How an installed agent is started for a task: by its recipe, or as the registry says where it has none.

    Args:
        entry: What the registry says of it.
        installed: Where it is.
        access: How it reaches the model.
        additions: Further variables and files, which win.
        digest: Names exactly what runs.
    """
    recipe = RECIPES.get(entry.id)
    source = entry.distribution()
    setup = recipe.setup(access) if recipe else Setup(args=source.args if source else ())
    return AgentLaunch(
        name=entry.id,
        argv=(*installed.argv, *setup.args),
        env={**(source.env if source else {}), **setup.env, **additions.env},
        files={**setup.files, **additions.files},
        wire=recipe.wire if recipe else "chat",
        model_aliases=recipe.model_aliases if recipe else (),
        version=installed.version or entry.version,
        integrity=entry.integrity,
        digest=digest,
    )


def registry_agent(
    name: str,
    *,
    allow_unverified: bool = False,
    permission: Permission = "allow-in-workdir",
    env: Mapping[str, str] | None = None,
    files: Mapping[str, str] | None = None,
    timeout: float = SECONDS_PER_TASK,
) -> RegistryAgent:
    """An agent of the ACP registry, started here for each task; it is installed when it is first needed.

    Args:
        name: Its ID (`opencode`), or with an exact version (`opencode@1.18.33`). Without one the version of the shipped
            snapshot runs, or that of your own registry file.
        allow_unverified: Also run what cannot be compared with anything that was published (`unverified-upstream`).
        permission: How its requests for permission are answered: `allow-in-workdir` allows what names nothing outside
            its working folder, `deny` allows nothing, `ask` asks at the terminal.
        env: Further variables, which win over those of its recipe.
        files: Further files in its private HOME, content by relative path, which win over those of its recipe.
        timeout: The most time for a task, in seconds, from the moment that it is ready.

    Raises:
        NotFoundError: There is no such agent; the nearest names are suggested.
        InvalidArgumentError: It is `unverified-upstream` and was not allowed, or an argument is not valid.
        ConfigurationError: The registry file that EVALROUTER_AGENT_REGISTRY names cannot be used.
    """
    if not isinstance(name, str) or not name.strip():
        raise InvalidArgumentError(f"{str(name)[:60]!r} is not a registry agent's name: pass an ID, such as opencode.")
    store = default_store()
    entry = find_entry(load_registries(store), name)
    if entry.integrity == "unverified-upstream" and not allow_unverified:
        raise InvalidArgumentError(
            f"{name.strip()} is unverified-upstream: nothing was published to compare its download with, so "
            "whoever controls that address decides what runs here. If you trust it, pass allow_unverified=True "
            "(--allow-unverified on the command line)."
        )
    return RegistryAgent(entry, store, permission=permission, env=env, files=files, timeout=timeout)
