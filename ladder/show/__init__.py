"""Standings for people and programs: `terminal`, `as_json`, `as_csv`, `page`.

All take a `ladder.standings.heading.Heading` and the `Standings` of the sections in the event's
order, or of the ladder's pools. `history_terminal`, `history_plot` and `history_json` show a bot
over time. No number is computed here: that is `ladder.standings`. Begin with `terminal`.
"""
