# story: chooses a protocol that was not offered
# row: protocol: no proper ready
# expect: startup
# hint: answer `hello` with
from hostile.honest import play, say

play(hello=lambda: say('{"type":"ready","protocol":2,"name":"two"}'))
