"""What the referee costs, measured beside what the machine itself costs.

`figures`, `targets` and `report` are values; the modules between them and `running` measure one
thing each. Begin with `running`, which lets them take turns.
"""
