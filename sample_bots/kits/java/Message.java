import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** What this bot needs of a message. */
final class Message {
    /** The ranks of each profile (SPEC 11.1), highest first. */
    private static final Map<String, String> RANKS = Map.of(
        "it3", "A3KQJ76542", "gen7", "A7KQJ65432", "pt7", "A7KJQ65432", "pt7_qj", "A7KQJ65432",
        "pt10", "ATKJQ65432", "it3_low3", "AKQJ765432", "it7", "A7KQJ65432",
        "es48", "A3KQJ9876542");

    String type = "";
    String id = "";
    String profile = "";
    private List<String> hand = List.of();
    private List<String> legal = List.of();
    private List<String> trick = List.of();
    private String trump = "";

    /** Reads a line; unknown fields are skipped, whatever they hold. */
    static Message read(String line) {
        var message = new Message();
        var scanner = new Scanner(line);
        scanner.object(key -> {
            switch (key) {
                case "type" -> message.type = scanner.string();
                case "id" -> message.id = scanner.string();
                case "legal" -> message.legal = scanner.strings();
                case "view" -> scanner.object(inner -> {
                    switch (inner) {
                        case "hand" -> message.hand = scanner.strings();
                        case "trick" -> message.trick = scanner.strings();
                        case "trump" -> message.trump = scanner.string(); // null is no string: ""
                        default -> scanner.skip();
                    }
                });
                case "options" -> scanner.object(inner -> {
                    switch (inner) {
                        case "rank_profile" -> message.profile = scanner.string();
                        default -> scanner.skip();
                    }
                });
                default -> scanner.skip();
            }
        });
        return message;
    }

    static String ranksOf(String profile) {
        return RANKS.getOrDefault(profile, RANKS.get("it3"));
    }

    Decision.Position position(String ranks) {
        return new Decision.Position(hand, legal, trick, trump, ranks);
    }

    /** Walks along a line of JSON. The referee writes no spaces between tokens. */
    private static final class Scanner {
        private final String line;
        private int at = 0;

        Scanner(String line) {
            this.line = line;
        }

        private char peek() {
            return at < line.length() ? line.charAt(at) : '\0';
        }

        private boolean accept(char wanted) {
            if (peek() != wanted) {
                return false;
            }
            at++;
            return true;
        }

        /** Calls {@code field} with each key of the object here; it reads or skips the value. */
        void object(Consumer<String> field) {
            if (peek() != '{') {
                skip();
                return;
            }
            while (accept('{') || accept(',')) {
                if (peek() != '"') {
                    break;
                }
                var key = string();
                if (!accept(':')) {
                    return;
                }
                field.accept(key);
            }
            accept('}');
        }

        /** The string that starts here; empty where there is something else, which is skipped. */
        String string() {
            if (!accept('"')) {
                skip();
                return "";
            }
            int start = at;
            while (at < line.length() && peek() != '"') {
                at += peek() == '\\' ? 2 : 1;
            }
            var text = line.substring(start, Math.min(at, line.length()));
            accept('"');
            return text;
        }

        List<String> strings() {
            var found = new ArrayList<String>();
            if (!accept('[')) {
                skip();
                return found;
            }
            while (peek() == '"') {
                found.add(string());
                accept(',');
            }
            accept(']');
            return found;
        }

        /** Moves past the value that starts here, however deep it is nested. */
        void skip() {
            int depth = 0;
            while (at < line.length()) {
                char c = peek();
                if (depth == 0 && (c == ',' || c == '}')) {
                    return;
                }
                if (c == '"') {
                    string();
                    continue;
                }
                if (c == '{' || c == '[') {
                    depth++;
                } else if (c == '}' || c == ']') {
                    depth--;
                }
                at++;
            }
        }
    }
}
