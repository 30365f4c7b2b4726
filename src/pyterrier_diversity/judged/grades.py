"""Convert labels to gains or probabilities of relevance."""

import math
from collections.abc import Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt

Gain = Literal["exp", "linear", "binary"] | Mapping[float, float]


# For smaller labels, computing 2^g - 1 directly loses digits.
SMALL_LABEL = 2.0**-10

_LN_2 = math.log(2)


def gain_value(labels: npt.ArrayLike, gain: Gain = "exp") -> np.ndarray:
    """Compute the gain of each label.

    Parameters
    ----------
    labels : array_like
        Relevance labels; 0 if not relevant.
    gain : {"exp", "linear", "binary"} or mapping of float to float
        :math:`2^g - 1`, :math:`g`, 1 for every relevant label, or the gain of each label above 0.

    Returns
    -------
    ndarray
        Gains, with the shape of ``labels``.

    Examples
    --------
    >>> gain_value([0, 1, 2, 3])
    array([0., 1., 3., 7.])
    """
    labels = np.asarray(labels, dtype=np.float64)
    if isinstance(gain, Mapping):
        distinct, place = np.unique(labels, return_inverse=True)
        return np.array([gain[label] if label > 0 else 0.0 for label in distinct.tolist()])[place.reshape(labels.shape)]
    if gain == "binary":
        return (labels > 0).astype(np.float64)
    if gain == "linear":
        return labels
    with np.errstate(over="ignore"):  # who reads an infinite gain refuses it
        return np.where(labels < SMALL_LABEL, np.expm1(labels * _LN_2), np.exp2(labels) - 1.0)


def relevance_probability(labels: npt.ArrayLike, max_label: npt.ArrayLike, gain: Gain = "exp") -> np.ndarray:
    r"""Compute the probability that each label satisfies a user.

    Parameters
    ----------
    labels : array_like
        Relevance labels; 0 if not relevant.
    max_label : array_like
        The largest possible label (:math:`m`), broadcast against ``labels``; not read if ``gain`` is "binary" or a
        mapping.
    gain : {"exp", "linear", "binary"} or mapping of float to float
        :math:`(2^g - 1) / 2^m` (Chapelle et al. 2009), :math:`g / m`, 1 for every relevant label, or the probability of
        each label above 0.

    Returns
    -------
    ndarray
        Probabilities in [0, 1], with the shape of ``labels``.

    Examples
    --------
    >>> relevance_probability([0, 1, 2], max_label=2)
    array([0.  , 0.25, 0.75])
    """
    if gain == "binary" or isinstance(gain, Mapping):
        return gain_value(labels, gain)
    labels, max_label = np.asarray(labels, dtype=np.float64), np.asarray(max_label, dtype=np.float64)
    if gain == "exp":
        least = np.exp2(-max_label)
        small = np.expm1(np.minimum(labels, SMALL_LABEL) * _LN_2) * least
        return np.where(labels < SMALL_LABEL, small, np.exp2(labels - max_label) - least)
    return np.divide(labels, max_label, out=np.zeros_like(labels), where=labels > 0)
