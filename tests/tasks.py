"""What workers do in tests: they import it from here, as pytest alone can import a file of tests."""

import os


class Shared:
    """Counts how often a process has loaded it."""

    loaded = 0

    def __getstate__(self) -> dict[str, bytes]:
        return {"content": bytes(2_000_000)}

    def __setstate__(self, state: dict[str, bytes]) -> None:
        Shared.loaded += 1


def loads(shared: Shared, n: int) -> tuple[int, int]:
    return os.getpid(), Shared.loaded


def called(shared, n: int) -> int:
    return shared(n)
