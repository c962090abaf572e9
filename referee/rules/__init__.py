"""The rules of the card games: cards, tricks, auctions, what a deal is worth, when a match ends.

Pure: no bot, no clock, no bytes. Which games there are, and with which numbers, is data in
`referee.games`. Begin with `game` (the protocol that a game fulfils) and `deal` (the inner loop).
"""
