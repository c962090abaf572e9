"""Control groups: which there are, what a bot's processes may use together, how they are frozen.

Where there are none, `referee.sandbox.polling` stands in. Begin with `group`.
"""
