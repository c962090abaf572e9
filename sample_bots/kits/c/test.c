/* What choose() does in positions of SPEC.md.
 * Run: gcc -Wall -Wextra -o test test.c choose.c && ./test */
#include "choose.h"

#include <stdio.h>
#include <string.h>

#define HAND_5 {{"6S", "3H", "KH", "7D", "6D", "3C", "KC", "7S"}, 8}

static const struct {
    const char *where;
    struct position at; /* hand, legal, trick, trump, ranks */
    const char *expected;
} tests[] = {
    {"SPEC 3.4: the king takes the knave",
     {{{"5C", "QS", "KD"}, 3}, {{"5C", "QS", "KD"}, 3}, {{"JD"}, 1}, 'H', "A7KQJ65432"}, "KD"},
    {"SPEC 4.2: nothing takes a trump, so the cheapest",
     {{{"AD", "5C", "QS"}, 3}, {{"AD", "5C", "QS"}, 3}, {{"4H"}, 1}, 'H', "A7KQJ65432"}, "5C"},
    {"SPEC 11.6: the lowest trump takes six points",
     {HAND_5, HAND_5, {{"4H", "2S", "KD", "JH"}, 4}, 'S', "A3KQJ76542"}, "6S"},
    {"SPEC 11.6: an auction is not for this bot yet",
     {HAND_5, {{"pass", "bid 6", "bid 5"}, 3}, {{NULL}, 0}, '\0', "A3KQJ76542"}, "pass"},
};

int main(void)
{
    int wrong = 0;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        const char *got = choose(&tests[i].at);
        if (strcmp(got, tests[i].expected) != 0) {
            printf("%s: %s, not %s\n", tests[i].where, tests[i].expected, got);
            wrong++;
        }
    }
    puts(wrong ? "FAILED" : "ok");
    return wrong != 0;
}
