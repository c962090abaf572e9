"""The sandbox of bubblewrap: its command line, and a process inside.

What all sandboxes share stands in `referee.sandbox`. Begin with `sandbox`.
"""
