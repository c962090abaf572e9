"""The record of a match: its lines and hashes, how it is written, read, and played again.

How a match goes is not decided here but in `referee.match`. Begin with `lines` (what stands in a
record), then `verify` (why it proves something); `proof` says what that has shown.
"""
