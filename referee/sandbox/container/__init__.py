"""The sandbox of Docker containers; the only folder that imports Docker's library.

What all sandboxes share stands in `referee.sandbox`. Begin with `sandbox`, then `create` (what a
container may do and sees).
"""
