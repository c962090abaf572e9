"""`referee compare`: two or more bots side by side until their difference is decided.

The tests that decide are in `ladder.stats`. Begin with `comparison`.
"""
