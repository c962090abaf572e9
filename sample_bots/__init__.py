"""Bots to play against and to copy: one file each, standard library only.

Nothing here is imported: `referee` starts the files as processes (`sample:first` and so on).
"""
