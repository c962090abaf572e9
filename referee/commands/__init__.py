"""The commands of `referee`, one module each: options in, one call, text and an exit code out.

What a command does is done elsewhere; errors become lines in `referee.cli`. Begin with `app`.
"""
