"""A ladder's site, asked from another machine: bots are handed in, and what became of them is told.

The only folder that knows the library of HTTP clients. Begin with `site_client`.
"""
