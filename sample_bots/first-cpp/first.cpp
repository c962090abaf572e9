// A bot that plays the first legal action. C++17, standard library only.
//
// Build: g++ -std=c++17 -O2 -Wall -Wextra -o first first.cpp

#include <cstddef>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

// The decision: one of the legal actions.
std::string_view choose(const std::vector<std::string_view> &legal) {
    return legal.at(0);
}

// What this bot needs of a message: three fields of its top level.
struct Message {
    std::string_view type;
    std::string_view id;
    std::vector<std::string_view> legal;
};

// Walks along a line of JSON. The referee writes no spaces between tokens.
class Scanner {
public:
    explicit Scanner(std::string_view line) : line_(line) {}

    bool accept(char wanted) {
        if (peek() != wanted) return false;
        ++at_;
        return true;
    }

    // The text between the quotes of the string that starts here.
    std::string_view string() {
        accept('"');
        const std::size_t start = at_;
        while (at_ < line_.size() && peek() != '"') at_ += peek() == '\\' ? 2 : 1;
        const std::string_view text = line_.substr(start, at_ - start);
        accept('"');
        return text;
    }

    std::vector<std::string_view> strings() {
        std::vector<std::string_view> found;
        accept('[');
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
        do {
            const char c = peek();
            if (c == '"') {
                string();
                continue;
            }
            if (c == '{' || c == '[') ++depth;
            if (c == '}' || c == ']') --depth;
            ++at_;
        } while (at_ < line_.size() && (depth > 0 || (peek() != ',' && peek() != '}')));
    }

private:
    char peek() const { return at_ < line_.size() ? line_[at_] : '\0'; }

    std::string_view line_;
    std::size_t at_ = 0;
};

// Reads the fields that count; unknown ones are skipped, whatever they hold.
Message parse(std::string_view line) {
    Message message;
    Scanner scanner(line);
    while (scanner.accept('{') || scanner.accept(',')) {
        const std::string_view key = scanner.string();
        if (!scanner.accept(':')) break;
        if (key == "type") {
            message.type = scanner.string();
        } else if (key == "id" && message.type == "act") {
            message.id = scanner.string();
        } else if (key == "legal" && message.type == "act") {
            message.legal = scanner.strings();
        } else {
            scanner.skip();
        }
    }
    return message;
}

int main() {
    std::ios::sync_with_stdio(false);
    std::string line;
    while (std::getline(std::cin, line)) {
        const Message message = parse(line);
        if (message.type == "hello") {
            std::cout << R"({"type":"ready","protocol":1,"name":"first-cpp","version":"1"})"
                      << '\n';
        } else if (message.type == "act") {
            std::cout << R"({"id":")" << message.id << R"(","action":")" << choose(message.legal)
                      << R"("})" << '\n';
        } else if (message.type == "end") {
            break;
        }
        // The flush trap: to a pipe, '\n' sends nothing. Without this the answer stays in a buffer,
        // and the referee waits for it in vain.
        std::cout << std::flush;
    }
}
