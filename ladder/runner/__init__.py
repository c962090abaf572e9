"""Conducts a ladder: takes jobs from the store, has them played, writes what they brought.

Which jobs there are is decided in `ladder.core`. Begin with `runner`.
"""
