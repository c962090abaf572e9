"""What a ladder is: facts, roster, who may sit together, who plays next, who is benched.

Pure: where facts are kept is `ladder.store`, who plays them `ladder.runner`. Begin with `facts`.
"""
