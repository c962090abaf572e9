"""TOML that organisers write: a `[[game]]`, a file of pools, and mistakes in the writer's words.

The file of an event is `ladder.event.file`. Begin with `game_table`.
"""
