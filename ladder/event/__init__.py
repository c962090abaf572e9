"""`referee event`: a tournament that can be interrupted at any moment, and told from its log.

Ladders, which have no end, are `ladder.core` and `ladder.runner`. Begin with `plan` (what is
agreed) and `conductor`; the formats stand in `formats`, a file each.
"""
