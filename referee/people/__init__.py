"""People at the table: to a match a person is a bot whose process passes on what it is told.

That process, `relay`, talks to a socket; at its other end `seat_server` reads the protocol's
messages and asks the person. So a person is told what a bot is told and nothing more, and games,
options, faults and records know nothing of people. Begin with `seat_server`.
"""
