"""``python -m pyterrier_diversity``."""

from .cli import app

if __name__ == "__main__":
    app()
