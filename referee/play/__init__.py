"""Conducts a match: processes, pipes, trio, the time.

What is asked and what an answer means is decided in `referee.match`; how a process is started and
held, in `referee.sandbox`. Begin with `conductor`, then `seat` (one process and its clock).
"""
