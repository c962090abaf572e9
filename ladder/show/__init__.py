"""Standings for people and programs: `terminal`, `as_json`, `as_csv`, `page`.

All take a `ladder.standings.Heading` and the `Standings` of the sections in the event's order, or
of the ladder's pools. `history_terminal`, `history_plot` and `history_json` show a bot over time.
"""
