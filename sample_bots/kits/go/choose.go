package main

import "strings"

// worthATrump: so many points must lie on the table before a trump is spent on them.
const worthATrump = 4

// position is what a decision needs. A card is its rank, then its suit: "7D"; a covered two is "2".
type position struct {
	hand, legal, trick []string
	trump              string // empty while there is none
	ranks              string // highest first
}

// choose is the decision: it returns one of legal. Change this.
func choose(at position) string {
	best, table := "", 0
	for _, card := range at.trick {
		table += at.points(card)
		if best == "" || at.beats(card, best) {
			best = card
		}
	}
	cheapest, plain, trump := "", "", ""
	for _, card := range at.legal {
		if !at.holds(card) {
			continue // an announcement
		}
		if cheapest == "" || at.cost(card) < at.cost(cheapest) {
			cheapest = card
		}
		switch {
		case best == "" || !at.beats(card, best):
		case at.isTrump(card):
			if trump == "" || at.cost(card) < at.cost(trump) {
				trump = card
			}
		case plain == "" || at.cost(card) > at.cost(plain):
			plain = card
		}
	}
	switch {
	case plain != "":
		return plain
	case trump != "" && table >= worthATrump:
		return trump
	case cheapest != "":
		return cheapest
	}
	return at.legal[0] // an auction, a call: always allowed, and passes where it may
}

func (at position) holds(action string) bool {
	for _, card := range at.hand {
		if card == action {
			return true
		}
	}
	return false
}

// points of a card: the five ranks that have some are the highest, but for a low three.
func (at position) points(card string) int {
	scoring := at.ranks
	if strings.HasPrefix(scoring, "AK") {
		scoring = "A3KQJ"
	}
	worth := [...]int{11, 10, 4, 3, 2}
	if place := strings.Index(scoring, card[:1]); 0 <= place && place < len(worth) {
		return worth[place]
	}
	return 0
}

// height is how many ranks are below it.
func (at position) height(card string) int {
	return len(at.ranks) - strings.Index(at.ranks, card[:1])
}

func (at position) isTrump(card string) bool {
	return at.trump != "" && card[1:] == at.trump
}

// beats says whether a later card takes the trick; a covered two has no suit yet.
func (at position) beats(card, best string) bool {
	if card[1:] != best[1:] {
		return at.isTrump(card)
	}
	return at.height(card) > at.height(best)
}

// cost is what a card is worth in the hand: trumps take later tricks. Of equal points, the height
// counts.
func (at position) cost(card string) int {
	points := at.points(card)
	if at.isTrump(card) {
		points += 5
	}
	return 100*points + at.height(card)
}
