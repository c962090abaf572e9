"""Bots that strangers hand in: unpacked, built, tried in a sandbox, frozen. Nothing runs bare.

Who may hand in what, and what a version is, is decided in `ladder.core`. Begin with `accept`.
"""
