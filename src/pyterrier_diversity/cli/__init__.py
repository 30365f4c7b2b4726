"""The command ``pyterrier-diversity``. Each of its commands is a call that a user could write in Python."""

from .app import app

__all__ = ["app"]
