"""`referee debug`: a bot is told again what a record says that it was told, up to any act.

Belongs here: which act is meant, the process that is fed, what differs from the record. Does not:
playing a record again (`referee.record`), printing (`referee.terminal`, `referee.commands.debug`).
Begin with `session`.
"""
