#pragma once

#include <string>
#include <vector>

// What a decision needs. A card is its rank, then its suit: "7D"; a covered two is "2".
struct Position {
    std::vector<std::string> hand;
    std::vector<std::string> legal;
    std::vector<std::string> trick;
    std::string trump; // empty while there is none
    std::string ranks; // highest first
};

// The decision: one of `legal`.
std::string choose(const Position &at);
