"""Proves a ladder: that its facts, rows, ratings, records and bots are what they were.

`proving.prove` goes through all of it once and tells everything that it finds.
"""
