"""What only the sync client has: plain iteration, forks, threads, Ctrl-C."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from evalrouter import EvalRouter
from tests.sdk import documents
from tests.sdk.contract_server import Answer, ContractServer, quiet_stream


def test_results_can_be_listed(server: ContractServer) -> None:
    server.on("GET", f"/v1/runs/{documents.RUN_ID}/results", Answer(documents.page(documents.result(0))))
    with EvalRouter(api_key="er_x", base_url=server.url) as client:
        assert [result.index for result in list(client.runs.get(documents.RUN_ID).results())] == [0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_has_connections_of_its_own(server: ContractServer) -> None:
    with EvalRouter(api_key="er_x", base_url=server.url) as client:
        client.runs.get(documents.RUN_ID)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                client.runs.get(documents.RUN_ID)
                client.close()
                status = 0
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        client.runs.get(documents.RUN_ID)
    used = [request.connection for request in server.requests]
    assert used[0] == used[2] != used[1]


def test_threads_may_share_a_client(server: ContractServer) -> None:
    with EvalRouter(api_key="er_x", base_url=server.url) as client, ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda _: client.runs.get(documents.RUN_ID).status, range(40)))
    assert statuses == ["completed"] * 40


def test_ctrl_c_while_waiting_leaves_the_run(server: ContractServer) -> None:
    server.on("GET", f"/v1/runs/{documents.RUN_ID}", Answer(documents.run("running")))
    server.on("GET", f"/v1/runs/{documents.RUN_ID}/events/stream", quiet_stream())
    with EvalRouter(api_key="er_x", base_url=server.url) as client:
        run = client.runs.get(documents.RUN_ID)
        main = threading.main_thread().ident
        assert main is not None
        interrupt = threading.Timer(0.5, signal.pthread_kill, [main, signal.SIGINT])
        interrupt.start()
        with pytest.raises(KeyboardInterrupt):
            run.wait()
        interrupt.join()
    assert {request.method for request in server.requests} == {"GET"}
