"""The standings of an event for people and programs: `terminal`, `as_json`, `as_csv`, `page`.

All take a `ladder.standings.Heading` and the `Standings` of the sections in the event's order.
"""
