"""The command: `projects` and `sync`. One line and an exit code, never a traceback."""

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn
from uuid import UUID

from evalrouter.errors import ConfigurationError, EvalRouterError, InvalidArgumentError
from evalrouter.langsmith.checkpoint import binding_of, parse_since
from evalrouter.langsmith.courier import Courier
from evalrouter.langsmith.errors import StopRequestedError
from evalrouter.langsmith.importer import PAUSE_SECONDS, Importer, Options
from evalrouter.langsmith.mapping import Policy
from evalrouter.langsmith.outbox import Outbox
from evalrouter.langsmith.preview import preview
from evalrouter.langsmith.settings import find_source
from evalrouter.langsmith.source.service import Service
from evalrouter.langsmith.stopping import Stop
from evalrouter.langsmith.store import Store
from evalrouter.langsmith.telling import Counts, Log
from evalrouter.langsmith.watch import Watch
from evalrouter.tracing.destination import find_destination

OK, ERROR, INVALID, INTERRUPTED = 0, 1, 2, 130
SHORTEST_POLL_SECONDS = 1.0
NAME = "python -m evalrouter.langsmith"


class _UsageError(Exception):
    """The arguments are not valid."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _UsageError(f"{message} ({self.prog} --help)")


def main(
    arguments: Sequence[str] | None = None,
    environment: Mapping[str, str] = os.environ,
    prog: str = NAME,
    pause: float = PAUSE_SECONDS,
) -> int:
    """Runs the command.

    Args:
        arguments: Its arguments; those of the process without it.
        environment: The environment variables.
        prog: What it is called, for its help.
        pause: Seconds between the two reads of a trace.

    Returns:
        0: it is done, or was stopped while watching. 1: a service refused or was not reached. 2: an argument, a
        variable or a checkpoint is not valid. 130: it was stopped before it was done.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        options = _parser(prog).parse_args(given or ["--help"], argparse.Namespace(pause=pause))
        stop = Stop()
        with stop.on_signals():
            code: int = options.run(options, environment, stop)
            return code
    except _UsageError as error:
        return _fail(given, "invalid_usage", str(error), INVALID)
    except (ConfigurationError, InvalidArgumentError) as error:
        return _fail(given, "refused", str(error), INVALID)
    except EvalRouterError as error:
        return _fail(given, "failed", str(error), ERROR)
    except OSError as error:
        return _fail(given, "os_error", str(error), ERROR)
    except (StopRequestedError, KeyboardInterrupt):
        return _fail(given, "interrupted", "interrupted: run it again to go on from the checkpoint", INTERRUPTED)
    except SystemExit as ending:  # --help
        return ending.code if isinstance(ending.code, int) else OK
    except Exception as error:  # the boundary: what a library says may quote the key
        return _fail(
            given, "internal_error", f"{type(error).__name__} (a fault of the connector; please report)", ERROR
        )


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = _Parser(prog=prog, description="Import completed traces from LangSmith.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    projects = commands.add_parser("projects", help="list LangSmith's projects", allow_abbrev=False)
    projects.set_defaults(run=_projects)
    sync = commands.add_parser("sync", help="import a project's completed traces", allow_abbrev=False)
    sync.set_defaults(run=_sync)
    sync.add_argument("--project", required=True, metavar="ID", help="the project's ID, as `projects` lists it")
    sync.add_argument("--state", required=True, metavar="FILE", type=Path, help="the checkpoint, a private file")
    sync.add_argument("--since", metavar="TIME", help="where the first import starts (ISO 8601); everything without it")
    sync.add_argument(
        "--metadata-only",
        action="store_true",
        help="send hierarchy, timing, error status and numeric usage only",
    )
    how = sync.add_mutually_exclusive_group()
    how.add_argument("--watch", action="store_true", help="stay and import what completes later")
    how.add_argument("--once", action="store_true", help="import what is complete now and end (the default)")
    how.add_argument("--dry-run", action="store_true", help="count what would be imported; send and write nothing")
    sync.add_argument(
        "--poll-interval", metavar="SECONDS", type=float, default=60.0, help="with --watch, seconds between looks (60)"
    )
    for command in (projects, sync):
        command.add_argument(
            "--json", action="store_true", help="print JSON: the result on stdout, log lines on stderr"
        )
    return parser


def _projects(options: argparse.Namespace, environment: Mapping[str, str], stop: Stop) -> int:
    service = Service(find_source(environment), stop)
    found = sorted(service.projects(), key=lambda project: project.name)
    if options.json:
        print(json.dumps({"items": [{"id": project.project_id, "name": project.name} for project in found]}))
        return OK
    for project in found:
        print(f"{project.project_id}  {_printable(project.name)}")
    return OK


def _sync(options: argparse.Namespace, environment: Mapping[str, str], stop: Stop) -> int:
    project_id = _project_id(options.project)
    since_ns = _since(options.since)
    if not options.poll_interval >= SHORTEST_POLL_SECONDS or options.poll_interval == float("inf"):
        raise _UsageError(f"--poll-interval {options.poll_interval} is not valid: give seconds, at least 1")
    policy: Policy = "metadata-only" if options.metadata_only else "content"
    source = find_source(environment)
    log, counts = Log(options.json), Counts()
    if options.dry_run:
        service = Service(source, stop)
        _check_project(service, project_id)
        _print_result(options.json, preview(service, project_id, policy, since_ns, counts))
        return OK
    destination = find_destination(environment, "The import")
    binding = binding_of(source.api_url, project_id, destination, policy)
    with Store(options.state.absolute(), binding, since_ns) as store:
        service = Service(source, stop)
        if store.is_new:
            _check_project(service, project_id)
        outbox = Outbox(store, Courier(destination, stop), counts, log)
        importer = Importer(service, store, outbox, Options(project_id, policy, options.pause), counts, log, stop)
        log.tell("info", "started", project=project_id, policy=policy, api=service.version, state=str(store.path))
        if options.watch:
            Watch(importer, options.poll_interval).run()
        else:
            importer.cycle(look_at_all=True)
            _print_result(options.json, counts.document())
    return OK


def _check_project(service: Service, project_id: str) -> None:
    """Refuses a project that is not there: its import would wait for ever.

    Raises:
        InvalidArgumentError: It is not there.
    """
    if not any(project.project_id.lower() == project_id for project in service.projects()):
        raise InvalidArgumentError(
            f"There is no project {project_id} that this key may read: `projects` lists those that there are."
        )


def _project_id(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError:
        raise _UsageError(f"--project {text!r} is no project's ID: `projects` lists them") from None


def _since(text: str | None) -> int | None:
    try:
        return None if text is None else parse_since(text)
    except (ValueError, OverflowError) as error:
        raise _UsageError(f"--since {text!r} is no time such as 2026-01-31T12:00:00Z: {error}") from None


def _print_result(as_json: bool, counts: Mapping[str, int]) -> None:
    if as_json:
        print(json.dumps(dict(counts)))
        return
    print(", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items() if count) or "nothing new")


def _fail(arguments: Sequence[str], code: str, message: str, exit_code: int) -> int:
    message = " ".join(message.split())
    if "--json" in arguments:
        facts: dict[str, object] = {"status": None, "request_id": None, "details": {}}
        print(json.dumps({"error": {"code": code, "message": message, "exit_code": exit_code, **facts}}))
    print(f"error: {_printable(message)}", file=sys.stderr)
    return exit_code


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)
