"""Intervals of means over clusters, by Student's distribution. Pure.

Blocks that one set of processes played hang together, and so do blocks of one deck at several
tables. The variance of a mean is therefore that of cluster sums (Liang and Zeger, Longitudinal data
analysis using generalized linear models, Biometrika 73, 1986). Where observations hang together in
two ways, the variances of both clusterings are added and that of single observations is taken off
once (Cameron, Gelbach and Miller, Robust inference with multiway clustering, Journal of Business &
Economic Statistics 29, 2011); the smaller number of clusters gives the degrees of freedom.
"""

from typing import Final

import numpy as np
from msgspec import Struct
from scipy.special import stdtr, stdtrit

from ladder.stats.arrays import Floats, Ints

LEVEL: Final = 0.95
"""The coverage of every interval that is not said to be another one."""

RISK: Final = 1 - LEVEL
"""The probability with which a statement that is made at all may be wrong."""


def quantile(free: float, risk: float = RISK) -> float:
    """Return how many standard errors an interval reaches either way; infinite below one degree.

    Args:
        free: degrees of freedom.
        risk: the probability to lie outside, both sides together.
    """
    if free < 1:
        return float("inf")
    return float(stdtrit(free, 1 - risk / 2))


def chance_above(value: Floats, error: Floats, free: float) -> Floats:
    """Return how probable it is that true values are above 0, by Student's distribution.

    Args:
        value: the estimates.
        error: their standard errors; where it is 0, nothing is known.
        free: degrees of freedom; below one, nothing is known.
    """
    if free < 1:
        return np.full(np.shape(value), 0.5)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(error > 0, stdtr(free, value / error), 0.5), np.float64)


class Means(Struct, frozen=True):
    """Means of several groups of observations.

    Attributes:
        value: the mean of each; nan without observations.
        error: its standard error; nan with fewer than two clusters.
        free: degrees of freedom.
    """

    value: Floats
    error: Floats
    free: Floats

    def interval(self, at: int) -> tuple[float, float] | None:
        """Return the ends of the 95 % interval of a group; None where clusters are too few."""
        if not self.free[at] >= 1:
            return None
        half = quantile(float(self.free[at])) * float(self.error[at])
        return float(self.value[at]) - half, float(self.value[at]) + half


def means(values: Floats, group: Ints, groups: int, clusterings: tuple[Ints, ...]) -> Means:
    """Return the mean of each group of observations, and how certain it is.

    Args:
        values: what was observed.
        group: the group of each observation, from 0.
        groups: how many there are.
        clusterings: one or two ways in which observations hang together: the cluster of each one.
    """
    count = np.bincount(group, minlength=groups)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(group, values, groups) / count
        rest = values - mean[group]
        parts = [_cluster_variance(rest, group, groups, cluster) for cluster in clusterings]
        variance, free = parts[0]
        if len(parts) > 1:
            other, fewer = parts[1]
            single, _ = _cluster_variance(rest, group, groups, np.arange(len(values)))
            variance = np.maximum(np.maximum(variance, other), variance + other - single)
            free = np.minimum(free, fewer)
        error = np.where(free > 0, np.sqrt(variance) / count, np.nan)
    return Means(mean, np.asarray(error, np.float64), free)


def _cluster_variance(
    rest: Floats, group: Ints, groups: int, cluster: Ints
) -> tuple[Floats, Floats]:
    """Return the variance of each group's sum, and how many clusters it has less one."""
    _, code = np.unique(cluster * groups + group, return_inverse=True)
    sums = np.bincount(code, rest)
    of = np.zeros(len(sums), np.int64)
    of[code] = group
    clusters = np.bincount(of, minlength=groups)
    free = np.maximum(clusters - 1, 0).astype(np.float64)
    wide = clusters / np.maximum(free, 1)
    return np.bincount(of, sums**2, groups) * wide, free
