import java.util.Arrays;
import java.util.List;

/**
 * What the bot does in positions of SPEC.md.
 *
 * <p>Run: javac -d out DecisionTest.java && java -cp out DecisionTest
 */
final class DecisionTest {
    private static final String GEN7 = "A7KQJ65432";
    private static final String IT3 = "A3KQJ76542";
    private static int wrong = 0;

    private static void expect(
        String where, String expected, String hand, String legal, String trick, String trump,
        String ranks) {
        var onTable = trick.isEmpty() ? List.<String>of() : Arrays.asList(trick.split(" "));
        var got = Decision.choose(new Decision.Position(
            Arrays.asList(hand.split(" ")), Arrays.asList(legal.split(",")), onTable, trump, ranks));
        if (!got.equals(expected)) {
            System.out.println(where + ": " + expected + ", not " + got);
            wrong++;
        }
    }

    public static void main(String[] args) {
        var five = "6S 3H KH 7D 6D 3C KC 7S";
        expect("SPEC 3.4: the king takes the knave", "KD",
            "5C QS KD", "5C,QS,KD", "JD", "H", GEN7);
        expect("SPEC 4.2: nothing takes a trump, so the cheapest", "5C",
            "AD 5C QS", "AD,5C,QS", "4H", "H", GEN7);
        expect("SPEC 11.6: the lowest trump takes six points", "6S",
            five, five.replace(' ', ','), "4H 2S KD JH", "S", IT3);
        expect("SPEC 11.6: an auction is not for this bot yet", "pass",
            five, "pass,bid 6,bid 5", "", "", IT3);
        System.out.println(wrong == 0 ? "ok" : "FAILED");
        System.exit(wrong == 0 ? 0 : 1);
    }
}
