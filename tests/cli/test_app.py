from pyterrier_diversity.cli import app


def test_the_module_is_the_command():
    import pyterrier_diversity.__main__ as main

    assert main.app is app
