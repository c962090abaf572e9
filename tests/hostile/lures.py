"""Where the tests listen, so that a bot that could get out would find somebody."""

PORT = 47113
ABSTRACT = "\0briscola-referee-lure"
