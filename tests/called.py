"""A process that runs the command for others: it has imported what commands need, and forks for each call.

``python called.py ADDRESS`` listens at a socket until its standard input ends. `CALL` is a program that calls it.
"""

import atexit
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import threading

MODULES = [
    *("jinja2", "joblib", "matplotlib.pyplot", "scipy.stats", "statsmodels.stats.multitest", "pyterrier"),
    *(f"pyterrier_diversity.{name}" for name in ("cli", "datasets", "evaluate", "meta", "plots", "report")),
    *(f"pyterrier_diversity.cli.{name}" for name in ("comparing", "evaluating", "listing")),
]

# Sends the arguments, the folder, the environment and the three streams, and ends as the command has ended.
CALL = """
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as call:
    call.connect(sys.argv[1])
    message = json.dumps([sys.argv[2:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(call, [len(message).to_bytes(4, "big")], [0, 1, 2])
    call.sendall(message)
    status = call.recv(1)
sys.exit(status[0])
"""


def asked(address: str) -> socket.socket | None:
    """Wait for calls, and return in a process of its own for each one, or with None at the end."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        print("ready", flush=True)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while listening in select.select([listening, sys.stdin], [], [])[0]:
            call, _ = listening.accept()
            if not os.fork():
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                return call
            call.close()
    return None


def answer(call: socket.socket) -> None:
    """Run the command in a process of its own, and send its status."""
    length, streams, _, _ = socket.recv_fds(call, 4, 3)
    with call.makefile("rb") as file:
        arguments, folder, environment = json.loads(file.read(int.from_bytes(length, "big")))
    child = os.fork()
    if child:
        call.sendall(bytes([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 0xFF]))
        os._exit(0)
    call.close()
    for i, stream in enumerate(streams):
        os.dup2(stream, i)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["pyterrier-diversity", *arguments]
    try:
        importlib.import_module("pyterrier_diversity.cli").app()
    except SystemExit as ended:  # which would take every module apart
        threading._shutdown()  # first the workers of joblib, for which the functions below would wait
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(ended.code or 0)


if __name__ == "__main__":
    for module in MODULES:
        importlib.import_module(module)
    gc.freeze()  # no call goes through what is imported, not even at its end
    if call := asked(sys.argv[1]):
        answer(call)
