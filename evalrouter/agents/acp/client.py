"""The client's side of the Agent Client Protocol: what an agent may ask of us, and what it gets."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from acp.exceptions import RequestError

from evalrouter.agents.acp import permissions
from evalrouter.agents.acp.folder import Folder, OutsideFolderError
from evalrouter.agents.acp.permissions import Decision, Permission
from evalrouter.agents.acp.terminals import TerminalRefusedError, Terminals

CAPABILITIES = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
"""What we tell an agent that it may ask of us."""

type Params = dict[str, Any]


class TaskClient:
    """Answers an agent's requests for one task.

    Args:
        folder: The task's folder.
        terminals: The task's terminals.
        permission: How requests for permission are answered.
        log: Takes a note.

    Attributes:
        exhausted: Set when the agent has asked for permission too often.
        log: Takes a note.
    """

    def __init__(
        self, folder: Folder, terminals: Terminals, permission: Permission, log: Callable[[str], None]
    ) -> None:
        self.exhausted = asyncio.Event()
        self._folder = folder
        self._terminals = terminals
        self._permission = permission
        self.log = log
        self._asked = 0
        self._methods: dict[str, Callable[[Params], Awaitable[Params]]] = {
            "session/request_permission": self._request_permission,
            "fs/read_text_file": self._read_text_file,
            "fs/write_text_file": self._write_text_file,
            "terminal/create": self._create_terminal,
            "terminal/output": self._terminal_output,
            "terminal/wait_for_exit": self._wait_for_terminal,
            "terminal/kill": self._kill_terminal,
            "terminal/release": self._release_terminal,
        }

    async def handle(self, method: str, params: object, is_notification: bool) -> Params | None:
        """Answers a request; a notification that is not known is left alone.

        Args:
            method: Its method.
            params: Its parameters, of whatever form.
            is_notification: Whether it wants no answer.

        Raises:
            RequestError: It is refused.
        """
        if is_notification:
            return None
        answer = self._methods.get(method)
        if answer is None:
            raise RequestError.method_not_found(method[:200])
        if not isinstance(params, dict):
            raise RequestError.invalid_params({"details": "params is no object"})
        try:
            return await answer(params)
        except (OutsideFolderError, TerminalRefusedError) as error:
            self.log(f"refused {method}: {error}")
            raise RequestError.invalid_params({"details": str(error)}) from error
        except FileNotFoundError as error:
            raise RequestError.resource_not_found(str(params.get("path"))[:200]) from error
        except OSError as error:
            raise RequestError.internal_error({"details": error.strerror or "it failed"}) from error
        except RuntimeError as error:  # this process ends and starts no more threads
            raise RequestError.internal_error({"details": "the task is over"}) from error
        except (TypeError, KeyError, AttributeError, ValueError) as error:
            raise RequestError.invalid_params({"details": f"{method[:200]} was not understood"}) from error

    async def _request_permission(self, params: Params) -> Params:
        self._asked += 1
        if self._asked > permissions.MOST_REQUESTS:
            self.exhausted.set()
            return {"outcome": {"outcome": "cancelled"}}
        tool_call = params.get("toolCall")
        tool_call = tool_call if isinstance(tool_call, dict) else {}
        decision = await self._decide(tool_call)
        verb = "allowed" if decision.is_allowed else "refused"
        self.log(f"{verb}: {permissions.title(tool_call)} ({decision.reason})")
        return permissions.outcome(decision, params.get("options"))

    async def _decide(self, tool_call: Params) -> Decision:
        if self._permission == "deny":
            return Decision(False, "nothing is allowed")
        if self._permission == "ask":
            return await permissions.ask(tool_call)
        return permissions.decide(tool_call, self._folder)

    async def _read_text_file(self, params: Params) -> Params:
        content = await asyncio.to_thread(self._folder.read, params["path"])
        lines = content.decode(errors="replace").splitlines(keepends=True)
        first = max(int(params.get("line") or 1) - 1, 0)
        limit = params.get("limit")
        return {"content": "".join(lines[first:] if limit is None else lines[first : first + int(limit)])}

    async def _write_text_file(self, params: Params) -> Params:
        await asyncio.to_thread(self._folder.write, params["path"], params["content"].encode(errors="replace"))
        return {}

    async def _create_terminal(self, params: Params) -> Params:
        return {"terminalId": await self._terminals.create(params)}

    async def _terminal_output(self, params: Params) -> Params:
        return self._terminals.get(params).output()

    async def _wait_for_terminal(self, params: Params) -> Params:
        return await self._terminals.get(params).wait()

    async def _kill_terminal(self, params: Params) -> Params:
        await self._terminals.get(params).end()
        return {}

    async def _release_terminal(self, params: Params) -> Params:
        await self._terminals.release(params)
        return {}
