"""A record as moving pictures: what each viewer may see of it, and the page that shows it.

Here belong the frames of a deal and the page around them, as a file or as part of a site; not what
is played (`match`), nor how records are read (`record`). Begin with `film`.
"""
