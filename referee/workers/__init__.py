"""Matches on all cores: one worker process a core, which plays one match at a time.

How one match is conducted is `referee.play`. Begin with `pool`, then `messages` (what a worker is
told, and what it reports).
"""
