"""What the referee costs, measured beside what the machine itself costs (DESIGN 9).

`figures`, `goals` and `report` are values; the modules between them and `running` measure one thing
each; `running` lets them take turns.
"""
