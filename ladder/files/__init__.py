"""Files that must outlast a loss of power: atomic writes, records by their hash, signed heads.

What they mean is not known here: facts are `ladder.core`, tables `ladder.store`. Begin with
`durable`.
"""
