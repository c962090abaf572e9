"""What the chosen options make of a game: RULES 3 (the games) and 4 (the options)."""

from support.model.cards import PROFILES

FAMILIES = {
    "biscambiggia-2": "biscambiggia",
    "biscambiggia-3": "biscambiggia",
    "biscambiggia-4": "biscambiggia",
    "biscambiggia-6": "biscambiggia",
    "briscola-2": "briscola",
    "briscola-3": "briscola",
    "briscola-4": "briscola",
    "briscola-6": "briscola",
    "briscola-scoperta": "scoperta",
    "briscolone": "briscolone",
    "briskula-2": "briskula",
    "briskula-4": "briskula",
    "briskula-dupla": "briskula",
    "brisca-2": "brisca",
    "brisca-4": "brisca",
    "brisca-6": "brisca",
    "bisca-tres": "bisca",
    "bisca-sete": "bisca",
    "bisca-nove": "bisca",
    "mariagio": "mariagio",
    "sueca": "sueca",
    "auction-biscambiggia": "auction-biscambiggia",
    "briscola-chiamata-rank": "chiamata",
    "briscola-chiamata-points": "chiamata",
    "briscola-chiamata-mixed": "chiamata",
    "sueca-italiana": "sueca-italiana",
}
AUCTIONS = {  # RULES 6, 11, 15
    "auction-biscambiggia": "points",
    "briscola-chiamata-points": "points",
    "sueca-italiana": "points",
    "briscola-chiamata-rank": "rank",
    "briscola-chiamata-mixed": "mixed",
}
RANKS_OF_FAMILY = {  # RULES 3, the column "Deck / profile"
    "biscambiggia": "gen7",
    "auction-biscambiggia": "gen7",
    "mariagio": "gen7",
    "bisca": "pt7",
    "sueca": "pt7",
    "sueca-italiana": "pt7",
}
HAND_SIZES = {  # RULES 3; five at an auction have eight, all others three
    "bisca-sete": 7,
    "bisca-nove": 9,
    "mariagio": 7,
    "briscolone": 5,
    "briskula-dupla": 4,
    "sueca": 10,
}
GENERAL_DEFAULTS = {  # RULES 4
    "void_keeps_dealer": "false",
    "removed_two": "S",
    "deal_scoring": "one",
    "exchange_two": "off",
    "exchange_seven": "off",
    "black_hand": "off",
    "team_view": "none",
    "signals": "off",
    "follow": "free",
    "first_lead": "cutter",
    "equal_cards": "first_wins",
    "bisca_threshold": "60_reached_first",
    "bisca_scale": "flat",
    "exposed_card": "last",
    "sueca_flag": "all_tricks",
    "sueca_tie_bonus": "off",
    "bid_min": "61",
    "bid_max": "120",
    "bid_step": "1",
    "opener_must_bid": "false",
    "own_card_allowed": "true",
    "all_pass": "redeal_next_dealer",
    "draw_60_in_auction": "lose",
    "first_lead_auction": "dealer_right",
    "force_bid": "on",
    "two_cards_at_120": "false",
    "bid_multipliers": "off",
    "called_rank_fixed": "none",
    "blind_first_trick": "off",
    "capot_double": "false",
}
OWN_DEFAULTS: dict[str, dict[str, str]] = {  # by family or by game, where it differs
    "briscola": {"exchange_two": "first_trick"},
    "scoperta": {"exchange_two": "first_trick"},
    "briskula": {"exchange_two": "first_trick"},
    "briscola-6": {"exchange_two": "off"},
    "briscola-4": {"team_view": "before_first"},
    "briskula-4": {"team_view": "before_first"},
    "briscolone": {"deal_scoring": "cumulative"},
    "mariagio": {"deal_scoring": "cumulative"},
    "sueca": {"follow": "must"},
    "auction-biscambiggia": {"opener_must_bid": "true"},
    "chiamata": {"capot_double": "true"},
    "briscola-chiamata-points": {"two_cards_at_120": "true"},
    "briscola-chiamata-mixed": {"two_cards_at_120": "true", "bid_min": "62"},
    "sueca-italiana": {"own_card_allowed": "false"},
}


class Rules:
    """One game at one table: the choices that were made and what follows from them."""

    def __init__(self, game: str, options: dict[str, str], seats: int) -> None:
        self.game = game
        self.seats = seats
        self.family = FAMILIES[game]
        self.auction = AUCTIONS.get(game)
        self.options = {
            **GENERAL_DEFAULTS,
            "rank_profile": self._usual_ranks(),
            "teams": self._usual_teams(),
            **OWN_DEFAULTS.get(self.family, {}),
            **OWN_DEFAULTS.get(game, {}),
            **options,
        }
        self.profile = PROFILES[self.options["rank_profile"]]
        self.packs = 2 if seats in {6, 8} and self.family == "bisca" else 1  # RULES 13
        self.hand_size = HAND_SIZES.get(game, 8 if self.auction else 3)
        self.cards_each = 2 if game == "briskula-dupla" else 1  # RULES 12: to one trick
        self.open_hands = self.family == "scoperta"  # RULES 9
        self.sides = self._sides()

    def _usual_ranks(self) -> str:
        return "es48" if self.game == "brisca-6" else RANKS_OF_FAMILY.get(self.family, "it3")

    def _usual_teams(self) -> str:
        """RULES 13."""
        return {4: "pairs", 6: "alternate", 8: "alternate"}.get(self.seats, "solo")

    def _sides(self) -> list[list[int]]:
        """RULES 1.2 and 13: parity for 4, 6 and 8 seats; bisca has pairs and solo as well.

        At an auction every seat is alone until a card is called.
        """
        number = self.seats
        if self.seats in {4, 6, 8}:
            number = 2
            if self.family == "bisca":
                number = {"solo": self.seats, "pairs": self.seats // 2, "alternate": 2}[
                    self.options["teams"]
                ]
        return [[seat for seat in range(self.seats) if seat % number == i] for i in range(number)]

    def option(self, name: str) -> str:
        return self.options[name]

    def yes(self, name: str) -> bool:
        return self.options[name] == "true"

    def number(self, name: str) -> int:
        return int(self.options[name])
