# story: leaves dead children lying about, its own and those of others
# row: resources: zombie pile
# expect: plays
from hostile.honest import Act, answer, child, play


def orphans() -> None:
    for _ in range(5):
        child(bool)


def misdeed(act: Act) -> None:
    for _ in range(20):
        child(orphans)
    answer(act)


play(misdeed)
