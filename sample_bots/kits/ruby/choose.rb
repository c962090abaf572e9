# The decision. Change this file.

# So many points must lie on the table before a trump is spent on them.
WORTH_A_TRUMP = 4

# Card points: the five ranks that have some are the highest, but for a low three.
def points(card, ranks)
  scoring = ranks.start_with?("AK") ? "A3KQJ" : ranks
  place = scoring.index(card[0])
  (place && [11, 10, 4, 3, 2][place]) || 0
end

# How many ranks are below it.
def height(card, ranks)
  ranks.size - ranks.index(card[0])
end

# Whether a later card takes the trick; a covered two has no suit yet.
def beats?(card, best, trump, ranks)
  return !trump.nil? && card[1] == trump if card[1] != best[1]

  height(card, ranks) > height(best, ranks)
end

# The decision: one of legal.
def choose(hand:, legal:, trick:, trump:, ranks:)
  # What a card is worth in the hand: trumps take later tricks. Then the height counts.
  cost = ->(card) { 100 * (points(card, ranks) + (card[1] == trump ? 5 : 0)) + height(card, ranks) }

  cards = legal & hand
  # An auction, a call: the first is always allowed, and passes where it may.
  return legal.first if cards.empty?

  unless trick.empty?
    best = trick.reduce { |a, b| beats?(b, a, trump, ranks) ? b : a }
    takers = cards.select { |card| beats?(card, best, trump, ranks) }
    plain = takers.reject { |card| card[1] == trump }
    return plain.max_by(&cost) if plain.any?

    table = trick.sum { |card| points(card, ranks) }
    return takers.min_by(&cost) if takers.any? && table >= WORTH_A_TRUMP
  end
  cards.min_by(&cost)
end
