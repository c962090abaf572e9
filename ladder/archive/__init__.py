"""A whole ladder as one zip: facts, records and bots, out of a store and into another.

That what comes in makes sense is checked in `ladder.audit`. Begin with `format`.
"""
