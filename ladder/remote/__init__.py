"""A ladder's site, asked from another machine: bots are handed in, or play from there.

The only folder that knows the libraries of HTTP clients. Begin with `site_client` and `dialling`.
"""
