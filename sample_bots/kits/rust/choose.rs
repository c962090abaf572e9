//! The decision. Change this file; its tests are below.

/// What a decision needs. A card is its rank, then its suit: "7D"; a covered two is "2".
#[derive(Default)]
pub struct Position<'a> {
    pub hand: Vec<&'a str>,
    pub legal: Vec<&'a str>,
    pub trick: Vec<&'a str>,
    pub trump: Option<&'a str>,
    /// Highest first.
    pub ranks: &'a str,
}

/// So many points must lie on the table before a trump is spent on them.
const WORTH_A_TRUMP: u32 = 4;

/// A covered two has no suit yet.
fn suit(card: &str) -> Option<&str> {
    card.get(1..).filter(|suit| !suit.is_empty())
}

impl Position<'_> {
    /// Card points: the five ranks that have some are the highest, but for a low three.
    fn points(&self, card: &str) -> u32 {
        let low_three = self.ranks.starts_with("AK");
        let scoring = if low_three { "A3KQJ" } else { self.ranks };
        let place = scoring.find(&card[..1]);
        place.and_then(|place| [11, 10, 4, 3, 2].get(place).copied()).unwrap_or(0)
    }

    /// How many ranks are below it.
    fn height(&self, card: &str) -> usize {
        self.ranks.len() - self.ranks.find(&card[..1]).unwrap_or(self.ranks.len())
    }

    fn is_trump(&self, card: &str) -> bool {
        self.trump.is_some() && suit(card) == self.trump
    }

    /// Whether a later card takes the trick.
    fn beats(&self, card: &str, best: &str) -> bool {
        if suit(card) != suit(best) {
            return self.is_trump(card);
        }
        self.height(card) > self.height(best)
    }

    /// What a card is worth in the hand: trumps take later tricks.
    fn cost(&self, card: &str) -> (u32, usize) {
        let later = if self.is_trump(card) { 5 } else { 0 };
        (self.points(card) + later, self.height(card))
    }

    /// The card that takes what lies on the table.
    fn best(&self) -> Option<&str> {
        self.trick.iter().copied().reduce(|best, card| if self.beats(card, best) { card } else { best })
    }
}

/// The decision: one of `legal`.
pub fn choose<'a>(at: &Position<'a>) -> &'a str {
    let is_card = |action: &&'a str| at.hand.contains(action);
    let cards: Vec<&'a str> = at.legal.iter().copied().filter(is_card).collect();
    if let Some(best) = at.best() {
        let takers = cards.iter().copied().filter(|card| at.beats(card, best));
        let (trumps, plain): (Vec<_>, Vec<_>) = takers.partition(|card| at.is_trump(card));
        if let Some(card) = plain.into_iter().max_by_key(|card| at.cost(card)) {
            return card;
        }
        let table: u32 = at.trick.iter().map(|card| at.points(card)).sum();
        if table >= WORTH_A_TRUMP {
            if let Some(card) = trumps.into_iter().min_by_key(|card| at.cost(card)) {
                return card;
            }
        }
    }
    // No card in an auction or a call: the first is always allowed, and passes where it may.
    cards.into_iter().min_by_key(|card| at.cost(card)).unwrap_or(at.legal[0])
}

/// Run: rustc --edition 2021 --test -o test bot.rs && ./test
#[cfg(test)]
mod tests {
    use super::{choose, Position};

    const FIVE: &str = "6S 3H KH 7D 6D 3C KC 7S";

    fn chosen<'a>(
        hand: &'a str,
        legal: &'a str,
        trick: &'a str,
        trump: Option<&'a str>,
        ranks: &'a str,
    ) -> &'a str {
        choose(&Position {
            hand: hand.split(' ').collect(),
            legal: legal.split(',').collect(),
            trick: trick.split_whitespace().collect(),
            trump,
            ranks,
        })
    }

    #[test]
    fn takes_a_trick_with_what_scores_most() {
        let got = chosen("5C QS KD", "5C,QS,KD", "JD", Some("H"), "A7KQJ65432"); // SPEC 3.4
        assert_eq!(got, "KD");
    }

    #[test]
    fn throws_what_is_cheapest_where_nothing_takes() {
        let got = chosen("AD 5C QS", "AD,5C,QS", "4H", Some("H"), "A7KQJ65432"); // SPEC 4.2
        assert_eq!(got, "5C");
    }

    #[test]
    fn spends_the_lowest_trump_on_points() {
        let legal = FIVE.replace(' ', ","); // SPEC 11.6
        let got = chosen(FIVE, &legal, "4H 2S KD JH", Some("S"), "A3KQJ76542");
        assert_eq!(got, "6S");
    }

    #[test]
    fn passes_in_an_auction() {
        let got = chosen(FIVE, "pass,bid 6,bid 5", "", None, "A3KQJ76542"); // SPEC 11.6
        assert_eq!(got, "pass");
    }
}
