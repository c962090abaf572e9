"""The plan of a recorded match: what its header says, and the chance that its lines tell."""

from referee.errors import RefereeError
from referee.games import find
from referee.match.chance import BlockKey, leg_order
from referee.match.leg_state import Block
from referee.match.lines import DealLine, Header, LegLine
from referee.match.plan import MatchPlan, check_benched, check_clocks
from referee.match.seating import holders, legs
from referee.record.cursor import Cursor
from referee.record.reader import Mismatch
from referee.rules.cards import cards, check_deck
from referee.rules.variants import MatchRules

Seatings = tuple[tuple[int, ...], ...]
"""The bot at each place, leg by leg."""


def recorded_plan(cursor: Cursor) -> MatchPlan:
    """Return what was agreed before the first card.

    Args:
        cursor: before the first line after the header; its blocks are those of the lines of deals
            that the cursor stands before when they are asked for.

    Raises:
        RefereeError: there is no such game or option here.
        Mismatch: the rules here are not those of the record, or the header cannot have been.
    """
    header = cursor.header
    rules = _rules(header)
    _check_bots(header)
    begun = next(iter(cursor.begins), None)
    dealer = begun.dealer if isinstance(begun, LegLine) else 0
    if not 0 <= dealer < rules.game.seats:
        raise Mismatch(cursor.number + 1, f"there is no place {dealer} that could deal first")

    blocks: dict[int, Block] = {}

    def block(index: int) -> Block:
        found = _block(cursor, rules)
        if isinstance(cursor.peek(), DealLine) and blocks.setdefault(index, found) != found:
            raise Mismatch(cursor.number, f"deal {index + 1} was another deck before")
        return found

    return MatchPlan(
        terms=header.terms,
        name=header.rules,
        rules=rules,
        key="",
        bots=len(header.bots),
        decks=header.decks,
        given=header.given,
        seatings=_in_order(_seatings(header, rules), cursor),
        dealer=dealer,
        block=block,
        benched=header.benched,
        clocks=header.clocks,
    )


def _check_bots(header: Header) -> None:
    """Look whether what the header says of single bots can be.

    Raises:
        Mismatch: it cannot.
    """
    try:
        check_benched(header.benched, len(header.bots), header.decks)
        check_clocks(header.clocks, len(header.bots))
    except RefereeError as error:
        raise Mismatch(1, str(error)) from error


def _rules(header: Header) -> MatchRules:
    game, wanted = header.terms.game, header.rules
    variant = find(game)
    if wanted.id != game:
        raise Mismatch(1, f"these are the rules of {wanted.id}, not of {game}")
    rules, name = variant.rules_of(header.terms.options)
    if name != wanted:
        raise Mismatch(
            1,
            f"played by {wanted.id} revision {wanted.revision} ({wanted.digest[:12]}); "
            f"here it is revision {name.revision} ({name.digest[:12]})",
        )
    return rules


def _seatings(header: Header, rules: MatchRules) -> Seatings:
    """Return the seatings of a match, in the order of SPEC 8.5."""
    partners = rules.game.partners
    try:
        held = holders(len(header.bots), rules.game.seats, partners, header.terms.game)
        found = legs(header.terms.seating, held, partners)
    except RefereeError as error:
        raise Mismatch(1, str(error)) from error
    if len(found) != header.legs:
        raise Mismatch(1, f"{len(found)} legs are to be played, not {header.legs}")
    return found


def _in_order(seatings: Seatings, cursor: Cursor) -> Seatings:
    """Return the seatings leg by leg, as the key of the first block has them.

    Where no deal has begun, any of them may be the first.
    """
    match cursor.begins:
        case (LegLine(), DealLine() as deal):
            return leg_order(seatings, BlockKey(deal.key))
        case (LegLine() as leg, *_):
            return tuple(sorted(seatings, key=lambda seats: seats != leg.seats))
    return seatings


def _block(cursor: Cursor, rules: MatchRules) -> Block:
    """Return the block of the deal that begins here; any where no deal does."""
    line = cursor.peek()
    if not isinstance(line, DealLine):
        return BlockKey(""), None
    key = BlockKey(line.key)
    if not cursor.header.given:
        return key, None
    try:
        deck = cards(line.deck)
        check_deck(deck, rules.game.pack)
    except RefereeError as error:
        raise Mismatch(cursor.number, str(error)) from error
    return key, deck
