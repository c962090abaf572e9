"""`referee check`: whether a bot keeps to the protocol, and how to mend it.

The protocol itself is `protocol`; a fault in a match is `referee.match.verdict`. Begin with
`examine`.
"""
