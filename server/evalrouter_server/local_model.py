"""The built-in model's server process, `python -m evalrouter_server.local_model`, started by `LocalModelProcess`.

It listens on a loopback port of the system's choice, prints its address, and ends when its owner does: Linux kills
it with the thread that started it, and everywhere the end of its standard input, which only the owner holds open,
ends it.
"""

import argparse
import ctypes
import os
import signal
import sys
import threading
from typing import Any

PR_SET_PDEATHSIG = 1
"""Of prctl(2)."""

KEY_VARIABLE = "EVALROUTER_LOCAL_MODEL_KEY"
"""The variable of the environment that holds the key which requests must carry."""


def main() -> None:
    """Serve until the owner ends."""
    arguments = _arguments()
    _die_with(arguments.owner)
    server = _serve(arguments)
    print(server.listening_address, flush=True)
    threading.Event().wait()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="evalrouter_server.local_model")
    parser.add_argument("weights", help="a GGUF file")
    parser.add_argument("--alias", required=True, help="the model's name in answers")
    parser.add_argument("--context-window", type=int, required=True, help="tokens of one call")
    parser.add_argument("--concurrency", type=int, required=True, help="calls side by side")
    parser.add_argument("--owner", type=int, required=True, help="the process to end with")
    return parser.parse_args()


def _die_with(owner: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.name == "posix" and os.getppid() != owner:
        os._exit(0)
    threading.Thread(target=_end_with_input, daemon=True).start()


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


def _serve(arguments: argparse.Namespace) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = arguments.weights
    params.model_alias = {arguments.alias}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [os.environ[KEY_VARIABLE]]
    params.ui = False
    params.n_parallel = arguments.concurrency
    params.n_ctx = arguments.context_window * arguments.concurrency
    params.n_gpu_layers = 0
    # A second thread spins at barriers, which on a busy machine brings generation to a halt.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.verbosity = 1
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
