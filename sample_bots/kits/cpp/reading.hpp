#pragma once

#include "choose.hpp"

#include <string>
#include <string_view>

// What this bot needs of a message.
struct Message {
    std::string type;
    std::string id;
    std::string profile;
    Position at; // all but `ranks`
};

// Reads a line; unknown fields are skipped, whatever they hold.
Message read_message(std::string_view line);

// The ranks of `rank_profile` (SPEC 11.1), highest first.
std::string ranks_of(const std::string &profile);
