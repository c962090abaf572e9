"""Numbers from blocks: arrays in, estimates with intervals out; no event, no ladder, no files.

What is counted as independent is the life of the processes that played blocks, and where tables
share their decks, the deck. Begin with `ratings`; `dispersion` says how certain a rating is.
"""
