// Reads of a message what a decision needs.

#include "reading.hpp"

#include <map>

namespace {

// Walks along a line of JSON. The referee writes no spaces between tokens.
class Scanner {
public:
    explicit Scanner(std::string_view line) : line_(line) {}

    // Calls `field` with each key of the object that starts here; it must read or skip the value.
    template <typename Field>
    void object(Field field) {
        if (peek() != '{') return skip();
        while (accept('{') || accept(',')) {
            if (peek() != '"') break;
            const std::string key = string();
            if (!accept(':')) return;
            field(key);
        }
        accept('}');
    }

    // The string that starts here; empty where there is something else.
    std::string string() {
        if (!accept('"')) {
            skip();
            return "";
        }
        const std::size_t start = at_;
        while (at_ < line_.size() && peek() != '"') at_ += peek() == '\\' ? 2 : 1;
        const std::string text(line_.substr(start, at_ - start));
        accept('"');
        return text;
    }

    std::vector<std::string> strings() {
        std::vector<std::string> found;
        if (!accept('[')) {
            skip();
            return found;
        }
        while (peek() == '"') {
            found.push_back(string());
            accept(',');
        }
        accept(']');
        return found;
    }

    // Moves past the value that starts here, however deep it is nested.
    void skip() {
        int depth = 0;
        while (at_ < line_.size() && (depth > 0 || (peek() != ',' && peek() != '}'))) {
            const char c = peek();
            if (c == '"') {
                string();
                continue;
            }
            depth += (c == '{' || c == '[') - (c == '}' || c == ']');
            ++at_;
        }
    }

private:
    char peek() const { return at_ < line_.size() ? line_[at_] : '\0'; }

    bool accept(char wanted) {
        if (peek() != wanted) return false;
        ++at_;
        return true;
    }

    std::string_view line_;
    std::size_t at_ = 0;
};

} // namespace

Message read_message(std::string_view line) {
    Message message;
    Scanner scanner(line);
    const auto view = [&](const std::string &key) {
        if (key == "hand") message.at.hand = scanner.strings();
        else if (key == "trick") message.at.trick = scanner.strings();
        else if (key == "trump") message.at.trump = scanner.string(); // null is no string: ""
        else scanner.skip();
    };
    const auto options = [&](const std::string &key) {
        if (key == "rank_profile") message.profile = scanner.string();
        else scanner.skip();
    };
    scanner.object([&](const std::string &key) {
        if (key == "type") message.type = scanner.string();
        else if (key == "id") message.id = scanner.string();
        else if (key == "legal") message.at.legal = scanner.strings();
        else if (key == "view") scanner.object(view);
        else if (key == "options") scanner.object(options);
        else scanner.skip();
    });
    return message;
}

std::string ranks_of(const std::string &profile) {
    static const std::map<std::string, std::string> table{
        {"it3", "A3KQJ76542"},  {"gen7", "A7KQJ65432"}, {"pt7", "A7KJQ65432"},
        {"pt7_qj", "A7KQJ65432"}, {"pt10", "ATKJQ65432"}, {"it3_low3", "AKQJ765432"},
        {"it7", "A7KQJ65432"},  {"es48", "A3KQJ9876542"},
    };
    const auto found = table.find(profile);
    return found == table.end() ? table.at("it3") : found->second;
}
