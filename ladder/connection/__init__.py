"""How a site and a bot on its author's machine talk: it outlives the connections that carry it.

Begin with `messages`, then `talk`; `resumable` is what is kept meanwhile.
"""
