"""Published tables, as values: of a section of an event, of a pool of a ladder, a bot over time.

The numbers are made in `ladder.stats`, shown by `ladder.show`. Begin with `table` (what a table
is) and `rows`.
"""
