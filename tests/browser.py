"""A real Chromium without a window, driven over its DevTools protocol as a reader would: clicks, typing, looking."""

import asyncio
import json
import os
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import aiohttp
import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: install the package chromium")

SECONDS = 120
"""The most that any answer of the browser may take."""


class Tab:
    """A tab, and all that it asked of the network or complained of.

    Attributes:
        requests: The address of each request.
        complaints: Errors of scripts, and what the page's policy or the browser refused.
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._socket = socket
        self._numbers = count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._loaded = asyncio.Event()
        self._session: str | None = None

    async def listen(self) -> None:
        """Take in what the browser says, until it says no more."""
        async for message in self._socket:
            told = json.loads(message.data)
            if "id" in told:
                self._answers.pop(told["id"]).set_result(told)
            else:
                self._note(told["method"], told["params"])

    def _note(self, event: str, told: dict[str, Any]) -> None:
        match event:
            case "Page.loadEventFired":
                self._loaded.set()
            case "Network.requestWillBeSent":
                self.requests.append(told["request"]["url"])
            case "Runtime.exceptionThrown":
                self.complaints.append(str(told["exceptionDetails"]))
            case "Log.entryAdded":
                self.complaints.append(str(told["entry"]["text"]))

    async def command(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and give its result."""
        number = next(self._numbers)
        self._answers[number] = asyncio.get_running_loop().create_future()
        body = {"id": number, "method": method, "params": params}
        await self._socket.send_json(body | ({"sessionId": self._session} if self._session else {}))
        answer = await asyncio.wait_for(self._answers[number], SECONDS)
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    async def attach(self) -> None:
        """Open the tab and begin to watch it."""
        target = await self.command("Target.createTarget", url="about:blank")
        session = await self.command("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = session["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            await self.command(f"{domain}.enable")

    async def open(self, path: Path) -> None:
        """Open a file and wait until it has loaded."""
        await self.command("Page.navigate", url=path.as_uri())
        await asyncio.wait_for(self._loaded.wait(), SECONDS)

    async def value(self, expression: str) -> Any:
        """What an expression is worth in the page; a promise is waited for."""
        answer = await self.command("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    async def until(self, condition: str) -> None:
        """Wait until a condition holds in the page."""
        await self.value(
            f"new Promise((met) => {{ const look = () => ({condition}) ? met() : setTimeout(look, 20); look(); }})"
        )

    async def click(self, element: str) -> None:
        """Click on the middle of an element, wherever on the page it is."""
        box = (
            f"{{ const at = ({element}); at.scrollIntoView({{block: 'center'}}); return at.getBoundingClientRect(); }}"
        )
        found = await self.value(f"(() => {box})().toJSON()")
        spot = {"x": found["x"] + found["width"] / 2, "y": found["y"] + found["height"] / 2}
        for kind in ("mousePressed", "mouseReleased"):
            await self.command("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **spot)

    async def type(self, text: str) -> None:
        """Type into whatever has the focus."""
        await self.command("Input.insertText", text=text)

    async def choose(self, select: str, value: str) -> None:
        """Choose an option; what a reader's choice does, since the list itself is drawn outside the page."""
        told = "at.dispatchEvent(new Event('change', {bubbles: true})); return at.value;"
        choice = f"const at = ({select}); at.value = {json.dumps(value)}; {told}"
        assert await self.value(f"(() => {{ {choice} }})()") == value


@asynccontextmanager
async def chromium_tab(folder: Path) -> AsyncIterator[Tab]:
    """A tab of a Chromium of its own, which ends with it.

    Args:
        folder: Where the browser keeps its profile.
    """
    assert CHROMIUM is not None
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    options = [
        "--headless=new",
        "--window-size=1200,900",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        *as_root,
    ]
    process = await asyncio.create_subprocess_exec(
        CHROMIUM,
        *options,
        "--remote-debugging-port=0",
        f"--user-data-dir={folder}",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        address = await asyncio.wait_for(_address(process), SECONDS)
        async with aiohttp.ClientSession() as http, http.ws_connect(address, max_msg_size=0) as socket:
            tab = Tab(socket)
            listening = asyncio.create_task(tab.listen())
            try:
                await tab.attach()
                yield tab
            finally:
                listening.cancel()
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        await process.communicate()


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    said = []
    while line := (await process.stderr.readline()).decode(errors="replace"):
        said.append(line)
        if line.startswith("DevTools listening on "):
            return line.removeprefix("DevTools listening on ").strip()
    raise AssertionError(f"Chromium did not start: {''.join(said)}")
