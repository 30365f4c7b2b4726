"""How the command ends by Ctrl-C: with one line, and with the exit status that shells have for it."""

import os
import signal
import sys
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130


def watch() -> None:
    """End the program by Ctrl-C from now on, unless a shell that started it in the background lets it ignore that."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)


def watch_the_end() -> None:
    """End the program at once from now on: while Python ends, exceptions are lost."""
    if signal.getsignal(signal.SIGINT) is _interrupted:
        signal.signal(signal.SIGINT, _end_at_once)


def _interrupted(number: int, frame: FrameType | None) -> NoReturn:
    """End the program. Workers are stopped and unfinished files are removed on the way; a second Ctrl-C does not wait.

    ``SystemExit`` is not caught by anything, while click ends with status 1 after a ``KeyboardInterrupt``. But compiled
    modules lose exceptions while they are imported, so the program ends at once then: there is nothing to clean up.
    """
    signal.signal(signal.SIGINT, _end_at_once)
    line_of_terminal = "\n" if os.isatty(2) else ""  # which ends with ^C or a progress bar
    os.write(2, f"{line_of_terminal}Interrupted.\n".encode())
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            _end_at_once(number, frame)
        frame = frame.f_back
    raise SystemExit(INTERRUPTED)


def _end_at_once(number: int, frame: FrameType | None) -> NoReturn:
    os._exit(INTERRUPTED)


# The package imports this first, for the command as well as for programs in Python, which have their own way to end.
if os.path.basename(sys.argv[0]).startswith("pyterrier-diversity"):
    watch()
