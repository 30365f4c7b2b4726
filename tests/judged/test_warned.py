"""Warnings about data are given at once or collected."""

from __future__ import annotations

import threading
import warnings

import pytest

from pyterrier_diversity.judged import collected, warn_of_data


def test_a_warning_is_given_at_once():
    with pytest.warns(UserWarning, match="odd"):
        warn_of_data("odd")


def test_warnings_are_collected_in_their_order():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with collected() as messages:
            warn_of_data("odd")
            warn_of_data("odder")

    assert messages == ["odd", "odder"]


def test_collections_end_with_errors_and_belong_to_their_thread():
    with pytest.raises(ValueError, match="wrong"), collected():
        raise ValueError("wrong")
    with collected() as messages:
        thread = threading.Thread(target=warn_of_data, args=("odd",))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            thread.start()
            thread.join()

    assert (messages, [str(warning.message) for warning in caught]) == ([], ["odd"])
