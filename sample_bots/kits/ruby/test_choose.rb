# What choose does in positions of SPEC.md. Run: ruby test_choose.rb

require "minitest/autorun"
require_relative "choose"

class TestChoose < Minitest::Test
  GEN7 = "A7KQJ65432"
  IT3 = "A3KQJ76542"
  FIVE = %w[6S 3H KH 7D 6D 3C KC 7S].freeze

  def chosen(hand, trick, trump, ranks, legal: hand)
    choose(hand: hand, legal: legal, trick: trick, trump: trump, ranks: ranks)
  end

  def test_takes_a_trick_with_what_scores_most # SPEC 3.4
    assert_equal "KD", chosen(%w[5C QS KD], %w[JD], "H", GEN7)
  end

  def test_throws_what_is_cheapest_where_nothing_takes # SPEC 4.2
    assert_equal "5C", chosen(%w[AD 5C QS], %w[4H], "H", GEN7)
  end

  def test_spends_the_lowest_trump_on_points # SPEC 11.6
    assert_equal "6S", chosen(FIVE, %w[4H 2S KD JH], "S", IT3)
  end

  def test_passes_in_an_auction # SPEC 11.6
    assert_equal "pass", chosen(FIVE, [], nil, IT3, legal: ["pass", "bid 6", "bid 5"])
  end
end
