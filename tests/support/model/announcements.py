"""What a player may do at his turn besides playing a card: RULES 8.3 to 8.5, 8.7 and U13."""

from support.model.cards import SUITS, ten_point_rank
from support.model.table import Table

CODES = ["ace", "three", "king", "knight", "knave", "load"]  # RULES 8.7
MARRIAGE, TRUMP_MARRIAGE = 20, 40  # RULES U13


class Announcements:
    """What has been announced in this deal, and what may be announced now."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.rules = table.rules
        self.exchanged: set[str] = set()  # the ranks
        self.married: set[str] = set()  # the suits
        self.signalled: set[int] = set()  # the seats, in this trick

    def legal(self, seat: int) -> list[str]:
        actions = [f"exchange {r}{self.table.trump}" for r in "27" if self._exchanges(seat, r)]
        actions += [f"marry {suit}" for suit in SUITS if self._marries(seat, suit)]
        if self._signals(seat):
            actions += [f"signal {code}" for code in CODES]
        if self.rules.option("black_hand") == "on" and self.has_black_hand(seat):
            actions.append("declare")
        return actions

    # The exchanges

    def _exchanges(self, seat: int, rank: str) -> bool:
        lying = self.table.lying()
        if lying is None or rank in self.exchanged:  # RULES U18: once a deal for each rank
            return False
        if not self.table.holds(seat, f"{rank}{self.table.trump}"):
            return False
        if rank == "2":
            return lying[0] != "2" and self._two_may_go(seat, lying)
        return self._seven_may_go(seat, lying)

    def _two_may_go(self, seat: int, lying: str) -> bool:
        option = self.rules.option("exchange_two")
        if option == "first_trick":  # RULES 8.3
            return not self.table.tricks and not self.table.played_to_trick(seat)
        if option == "while_turnup":  # RULES 8.4
            return self.table.tricks_won(seat) > 0 and not self._above_seven(lying)
        return option == "while_stock"  # RULES 13

    def _seven_may_go(self, seat: int, lying: str) -> bool:
        """RULES 8.4: meaningless where the seven is worth ten points."""
        if self.rules.option("exchange_seven") == "off" or "7" in self.rules.profile.points:
            return False
        return self.table.tricks_won(seat) > 0 and self._above_seven(lying)

    def _above_seven(self, card: str) -> bool:
        """With pt10 the ten stands in the place of the seven (RULES 1.3)."""
        order = self.rules.profile.order
        seven = order.index("7" if "7" in order else "T")
        return order.index(card[0]) < seven

    def exchange(self, seat: int, name: str) -> None:
        self.exchanged.add(name[0])
        given = self.table.take_from_hand(seat, name)
        taken = self.table.talon[-1]
        self.table.talon[-1] = given
        self.table.hands[seat].append(taken)
        self.table.show_all([given, taken])  # RULES 8.3: the swap is public

    # Marriages

    def _marries(self, seat: int, suit: str) -> bool:
        """RULES U13: about to lead, after a won trick, each suit once."""
        if self.rules.family != "mariagio" or suit in self.married or self.table.trick:
            return False
        both = self.table.holds(seat, "K" + suit) and self.table.holds(seat, "Q" + suit)
        return both and self.table.tricks_won(seat) > 0

    def marry(self, seat: int, suit: str) -> None:
        self.married.add(suit)
        worth = TRUMP_MARRIAGE if suit == self.table.trump else MARRIAGE
        self.table.points[seat] += worth
        self._show(seat, ["K" + suit, "Q" + suit])

    # Signals

    def _signals(self, seat: int) -> bool:
        """RULES 8.6 and 8.7: to partners, from the second trick on, one a trick, true or not."""
        if self.rules.option("signals") == "off" or not self.table.tricks:
            return False
        if seat in self.signalled or self.table.played_to_trick(seat):
            return False
        return len(self.table.sides[self.table.side_of(seat)]) > 1

    # The black hand

    def has_black_hand(self, seat: int) -> bool:
        """RULES 8.5: ace, king and the ten-point rank of trumps together in one hand."""
        return all(self.table.holds(seat, card) for card in self._black_hand())

    def _black_hand(self) -> list[str]:
        ranks = ["A", ten_point_rank(self.rules.profile), "K"]
        return [f"{rank}{self.table.trump}" for rank in ranks]

    def show_black_hand(self, seat: int) -> None:
        self._show(seat, self._black_hand())

    def _show(self, seat: int, names: list[str]) -> None:
        cards = [self.table.find(seat, name) for name in names]
        self.table.show_all([card for card in cards if card is not None])
