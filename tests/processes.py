"""Processes of Python in which nothing of this package and of its neighbours is imported yet, but pandas is."""

import atexit
import functools
import json
import os
import subprocess
import sys
from collections.abc import Mapping

# It imports pandas, and what ir_datasets and PyTerrier import of others, once, and forks for each program that it
# reads; what a program prints goes to files.
_PARENT = """
import json, os, sys, tempfile
import numpy, pandas, requests, tqdm, unittest, yaml
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
"""


@functools.cache
def _parent() -> subprocess.Popen[str]:
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    atexit.register(parent.communicate)
    return parent


def in_a_new_process(program: str, environment: Mapping[str, str] = os.environ) -> str:
    """Run a program in a process of its own, which must end well, and return what it prints."""
    parent = _parent()
    assert parent.stdin is not None
    assert parent.stdout is not None
    print(json.dumps([program, dict(environment)]), file=parent.stdin, flush=True)
    status, output, errors = json.loads(parent.stdout.readline())
    assert status == 0, errors
    return output.strip()
