"""One match without I/O: keys to decks, legs, questions and answers, faults, scores, bytes said.

Pure. Processes are brought by `referee.play`, lines of a record by `referee.record`, and both drive
what stands here. Begin with `leg`, which yields every byte that is said, and `plan`, which says
what is agreed.
"""
