"""`referee doctor`: what each sandbox was proved to enforce on this machine.

The walls themselves stand in `referee.sandbox`; programs that run inside, in `probes`. Begin with
`guarantees`, a row for each promise.
"""
