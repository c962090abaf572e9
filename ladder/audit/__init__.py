"""`referee ladder verify`: facts, rows, ratings, records and bots are what they were.

One record by itself is proved by `referee.record.verify`. Begin with `audit`, which goes through
all of a ladder once and tells everything that it finds.
"""
