"""Programs that run inside a sandbox and say what they got there. Standard library only.

Each is given one line of JSON and answers with lines of JSON, whose keys are fields of
`referee.doctor.guarantees.Facts`. They know nothing of the referee.
"""
