# story: answers with the id of the act before
# row: protocol: wrong id
# expect: protocol
# hint: copy the `id`
from hostile.honest import Act, answer, play

ids: list[str] = []


def misdeed(act: Act) -> None:
    ids.append(act["id"])
    answer(act, id=ids[-2:][0])


play(misdeed, at=0)
