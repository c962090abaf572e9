"""Events over recorded matches, and what can be concluded from them: formats, ratings, comparisons.

The name is fixed, so that nothing else takes it.
"""
