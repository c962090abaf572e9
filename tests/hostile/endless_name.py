# story: has a name that is longer than any table
# row: protocol: no proper ready
# expect: startup
# hint: name
from hostile.honest import play, say

play(hello=lambda: say('{"type":"ready","protocol":1,"name":"' + "n" * 65 + '"}'))
