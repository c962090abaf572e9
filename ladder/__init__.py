"""Ratings and events over recorded matches. Still empty: the referee comes first.

The name is fixed (DESIGN 3), so that nothing else takes it.
"""
