"""Processes of Python in which nothing is imported yet but pandas, and what a test names."""

import atexit
import functools
import json
import os
import subprocess
import sys
from collections.abc import Mapping

# It imports pandas, what ir_datasets and PyTerrier import of others, and the modules that are its arguments, once, and
# forks for each program that it reads; what a program prints goes to files.
_PARENT = """
import asyncio, atexit, gc, importlib, json, multiprocessing, os, sys, tempfile, threading
import lxml.etree, lz4.frame, numpy, pandas, requests, tqdm, unittest, wrapt, yaml
for module in sys.argv[1:]:
    importlib.import_module(module)
gc.freeze()
program = None
for line in sys.stdin:
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        child = os.fork()
        if not child:
            program, environment = json.loads(line)
            os.environ.clear()
            os.environ.update(environment)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(output.fileno(), 1)
            os.dup2(errors.fileno(), 2)
            break
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        output.seek(0)
        errors.seek(0)
        print(json.dumps([status, output.read().decode(), errors.read().decode()]), flush=True)
if program is not None:
    exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})
    threading._shutdown()  # joblib's workers first
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)  # no module is taken apart
"""


@functools.cache
def _parent(imported: tuple[str, ...]) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _PARENT, *imported]
    parent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    atexit.register(parent.communicate)
    return parent


def in_a_new_process(program: str, environment: Mapping[str, str] = os.environ, imported: tuple[str, ...] = ()) -> str:
    """Run a program in a process of its own, with some modules imported, which must end well; return what it prints."""
    parent = _parent(imported)
    assert parent.stdin is not None
    assert parent.stdout is not None
    print(json.dumps([program, dict(environment)]), file=parent.stdin, flush=True)
    status, output, errors = json.loads(parent.stdout.readline())
    assert status == 0, errors
    return output.strip()
