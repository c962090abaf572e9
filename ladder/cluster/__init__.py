"""Matches on many machines: a scheduler, machines that play, and a pool that asks them.

Belongs here: what knows the engine (dask.distributed), the keys by which a cluster's processes know
each other, how bots travel, and whether a machine's results are believed. Does not: what is played
(`ladder.runner`, `ladder.event`, `ladder.compare`), which has `referee.workers.jobs.Players` in
this place as on one machine. Begin with `players`.
"""
