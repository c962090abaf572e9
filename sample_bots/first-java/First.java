// A bot that plays the first legal action. Java 17, standard library only.
//
// Build: javac First.java
// Run:   java -Xshare:auto -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp . First
//        (options that only make the JVM start faster and smaller)

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

public final class First {
    private static final String READY =
        "{\"type\":\"ready\",\"protocol\":1,\"name\":\"first-java\",\"version\":\"1\"}";

    /** The decision: one of the legal actions. */
    static String choose(List<String> legal) {
        return legal.get(0);
    }

    public static void main(String[] args) throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        var out = new OutputStreamWriter(System.out, StandardCharsets.US_ASCII);
        String line;
        while ((line = in.readLine()) != null) {
            var message = Message.parse(line);
            switch (message.type) {
                case "hello" -> send(out, READY);
                case "act" -> send(out,
                    "{\"id\":\"" + message.id + "\",\"action\":\"" + choose(message.legal) + "\"}");
                case "end" -> {
                    return;
                }
                default -> { }
            }
        }
    }

    private static void send(Writer out, String line) throws IOException {
        out.write(line + "\n");
        // The flush trap: without this the answer stays in a buffer, and the referee waits for it
        // in vain.
        out.flush();
    }

    /** What this bot needs of a message: three fields of its top level. */
    private static final class Message {
        String type = "";
        String id = "";
        List<String> legal = List.of();

        /** Reads the fields that count; unknown ones are skipped, whatever they hold. */
        static Message parse(String line) {
            var message = new Message();
            var scanner = new Scanner(line);
            while (scanner.accept('{') || scanner.accept(',')) {
                var key = scanner.string();
                if (!scanner.accept(':')) {
                    break;
                }
                if (key.equals("type")) {
                    message.type = scanner.string();
                } else if (key.equals("id") && message.type.equals("act")) {
                    message.id = scanner.string();
                } else if (key.equals("legal") && message.type.equals("act")) {
                    message.legal = scanner.strings();
                } else {
                    scanner.skip();
                }
            }
            return message;
        }
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

        boolean accept(char wanted) {
            if (peek() != wanted) {
                return false;
            }
            at++;
            return true;
        }

        /** The text between the quotes of the string that starts here. */
        String string() {
            accept('"');
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
            accept('[');
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
