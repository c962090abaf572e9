import java.util.Comparator;
import java.util.List;

/** The decision. Change this file. */
final class Decision {
    /** So many points must lie on the table before a trump is spent on them. */
    private static final int WORTH_A_TRUMP = 4;

    private static final int[] WORTH = {11, 10, 4, 3, 2};

    /**
     * What a decision needs. A card is its rank, then its suit: "7D"; a covered two is "2".
     *
     * @param trump empty while there is none
     * @param ranks highest first
     */
    record Position(
        List<String> hand, List<String> legal, List<String> trick, String trump, String ranks) {

        /** Card points: the five ranks that have some are the highest, but for a low three. */
        int points(String card) {
            var scoring = ranks.startsWith("AK") ? "A3KQJ" : ranks;
            int place = scoring.indexOf(card.charAt(0));
            return place >= 0 && place < WORTH.length ? WORTH[place] : 0;
        }

        /** How many ranks are below it. */
        int height(String card) {
            return ranks.length() - ranks.indexOf(card.charAt(0));
        }

        boolean isTrump(String card) {
            return !trump.isEmpty() && card.substring(1).equals(trump);
        }

        /** Whether a later card takes the trick; a covered two has no suit yet. */
        boolean beats(String card, String best) {
            if (!card.substring(1).equals(best.substring(1))) {
                return isTrump(card);
            }
            return height(card) > height(best);
        }

        /** What a card is worth in the hand: trumps take later tricks. Then the height counts. */
        int cost(String card) {
            return 100 * (points(card) + (isTrump(card) ? 5 : 0)) + height(card);
        }
    }

    private Decision() { }

    /** The decision: one of {@code legal}. */
    static String choose(Position at) {
        var byCost = Comparator.comparingInt(at::cost);
        var cards = at.legal().stream().filter(at.hand()::contains).toList();
        if (cards.isEmpty()) {
            return at.legal().get(0); // an auction, a call: always allowed, and passes where it may
        }
        if (!at.trick().isEmpty()) {
            var best = at.trick().stream().reduce((a, b) -> at.beats(b, a) ? b : a).orElseThrow();
            var takers = cards.stream().filter(card -> at.beats(card, best)).toList();
            var plain = takers.stream().filter(card -> !at.isTrump(card)).max(byCost);
            if (plain.isPresent()) {
                return plain.get();
            }
            int table = at.trick().stream().mapToInt(at::points).sum();
            if (!takers.isEmpty() && table >= WORTH_A_TRUMP) {
                return takers.stream().min(byCost).orElseThrow();
            }
        }
        return cards.stream().min(byCost).orElseThrow();
    }
}
