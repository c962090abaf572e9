"""The site of a ladder: pages that follow its results, for people and for programs.

The only folder that knows the web framework. Here belong routes, pages and what guards them; not
what stands on the pages (`show`, `standings`), nor how matches are played (`runner`). It has no way
to write facts but those of the commands. Begin with `app`.
"""
