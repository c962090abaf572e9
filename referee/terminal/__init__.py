"""What people read on a terminal: the console, cards, a deal trick by trick, a match's report.

Whatever is printed for programs (`--json`) is made where its values are. Begin with `console`.
"""
