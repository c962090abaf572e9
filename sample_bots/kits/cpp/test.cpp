// What choose() does in positions of SPEC.md.
// Run: g++ -std=c++17 -Wall -Wextra -o test test.cpp choose.cpp && ./test

#include "choose.hpp"

#include <iostream>

int main() {
    const std::string gen7 = "A7KQJ65432", it3 = "A3KQJ76542";
    const std::vector<std::string> five{"6S", "3H", "KH", "7D", "6D", "3C", "KC", "7S"};
    const struct {
        std::string where;
        Position at; // hand, legal, trick, trump, ranks
        std::string expected;
    } tests[] = {
        {"SPEC 3.4: the king takes the knave",
         {{"5C", "QS", "KD"}, {"5C", "QS", "KD"}, {"JD"}, "H", gen7}, "KD"},
        {"SPEC 4.2: nothing takes a trump, so the cheapest",
         {{"AD", "5C", "QS"}, {"AD", "5C", "QS"}, {"4H"}, "H", gen7}, "5C"},
        {"SPEC 11.6: the lowest trump takes six points",
         {five, five, {"4H", "2S", "KD", "JH"}, "S", it3}, "6S"},
        {"SPEC 11.6: an auction is not for this bot yet",
         {five, {"pass", "bid 6", "bid 5"}, {}, "", it3}, "pass"},
    };
    bool right = true;
    for (const auto &[where, at, expected] : tests) {
        const std::string got = choose(at);
        if (got != expected) {
            std::cout << where << ": " << expected << ", not " << got << '\n';
            right = false;
        }
    }
    std::cout << (right ? "ok" : "FAILED") << '\n';
    return right ? 0 : 1;
}
