// The decision. Change this file.

#include "choose.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace {

using Cards = std::vector<std::string>;

// So many points must lie on the table before a trump is spent on them.
constexpr int worth_a_trump = 4;

// A covered two has no suit yet.
std::string suit(const std::string &card) { return card.substr(1); }

// Card points: the five ranks that have some are the highest, but for a low three.
int points(const std::string &card, const std::string &ranks) {
    constexpr std::array worth{11, 10, 4, 3, 2};
    const std::string scoring = ranks.compare(0, 2, "AK") == 0 ? "A3KQJ" : ranks;
    const auto place = scoring.find(card.at(0));
    return place < worth.size() ? worth[place] : 0;
}

// How many ranks are below it.
int height(const std::string &card, const std::string &ranks) {
    return static_cast<int>(ranks.size() - ranks.find(card.at(0)));
}

// Whether a later card takes the trick.
bool beats(const std::string &card, const std::string &best, const Position &at) {
    if (suit(card) != suit(best)) return !at.trump.empty() && suit(card) == at.trump;
    return height(card, at.ranks) > height(best, at.ranks);
}

// What a card is worth in the hand: trumps take later tricks. Of equal points, the height counts.
int cost(const std::string &card, const Position &at) {
    const int later = suit(card) == at.trump ? 5 : 0;
    return 100 * (points(card, at.ranks) + later) + height(card, at.ranks);
}

template <typename Test>
Cards those_that(const Cards &cards, Test test) {
    Cards found;
    std::copy_if(cards.begin(), cards.end(), std::back_inserter(found), test);
    return found;
}

} // namespace

std::string choose(const Position &at) {
    const auto cheaper = [&](const auto &a, const auto &b) { return cost(a, at) < cost(b, at); };
    const Cards cards = those_that(at.legal, [&](const auto &action) {
        return std::find(at.hand.begin(), at.hand.end(), action) != at.hand.end();
    });
    // An auction, a call: the first is always allowed, and passes where it may.
    if (cards.empty()) return at.legal.at(0);
    if (!at.trick.empty()) {
        std::string best = at.trick.front();
        int table = 0;
        for (const auto &card : at.trick) {
            table += points(card, at.ranks);
            if (beats(card, best, at)) best = card;
        }
        const Cards takers =
            those_that(cards, [&](const auto &card) { return beats(card, best, at); });
        const Cards plain =
            those_that(takers, [&](const auto &card) { return suit(card) != at.trump; });
        if (!plain.empty()) return *std::max_element(plain.begin(), plain.end(), cheaper);
        if (!takers.empty() && table >= worth_a_trump)
            return *std::min_element(takers.begin(), takers.end(), cheaper);
    }
    return *std::min_element(cards.begin(), cards.end(), cheaper);
}
