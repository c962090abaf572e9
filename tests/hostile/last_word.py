# story: has a last word after the end
# row: protocol: a line nobody asked for
# expect: protocol
# hint: nothing else
from hostile.honest import play, say

play(end=lambda: say("good game"))
