# story: puts bytes that are no UTF-8 into its answer
# row: protocol: invalid UTF-8
# expect: malformed
# hint: UTF-8
from hostile.honest import Act, play, text_of, write


def misdeed(act: Act) -> None:
    write(text_of(act).encode()[:-1] + b',"note":"\xff\xc0\x80\xed\xa0\x80"}\n')


play(misdeed)
