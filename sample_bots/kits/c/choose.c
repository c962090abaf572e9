/* The decision. Change this file. */
#include "choose.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* So many points must lie on the table before a trump is spent on them. */
enum { WORTH_A_TRUMP = 4 };

/* Card points: the five ranks that have some are the highest, but for a low three. */
static int points(const char *card, const char *ranks)
{
    static const int worth[] = {11, 10, 4, 3, 2};
    const char *scoring = strncmp(ranks, "AK", 2) == 0 ? "A3KQJ" : ranks;
    const char *found = strchr(scoring, card[0]);
    return found != NULL && found - scoring < 5 ? worth[found - scoring] : 0;
}

/* How many ranks are below it. */
static int height(const char *card, const char *ranks)
{
    const char *found = strchr(ranks, card[0]);
    return found == NULL ? 0 : (int)strlen(found) - 1;
}

/* Whether a later card takes the trick; a covered two has no suit yet: its second character is 0. */
static bool beats(const char *card, const char *best, const struct position *at)
{
    if (card[1] != best[1])
        return at->trump != '\0' && card[1] == at->trump;
    return height(card, at->ranks) > height(best, at->ranks);
}

/* What a card is worth in the hand: trumps take later tricks. Of equal points, the height counts. */
static int cost(const char *card, const struct position *at)
{
    int later = card[1] == at->trump ? 5 : 0;
    return 100 * (points(card, at->ranks) + later) + height(card, at->ranks);
}

static bool in_hand(const char *action, const struct position *at)
{
    for (int i = 0; i < at->hand.count; i++)
        if (strcmp(at->hand.of[i], action) == 0)
            return true;
    return false;
}

const char *choose(const struct position *at)
{
    const char *best = NULL, *cheapest = NULL, *plain = NULL, *trump = NULL;
    int table = 0; /* points that lie there */
    for (int i = 0; i < at->trick.count; i++) {
        const char *card = at->trick.of[i];
        table += points(card, at->ranks);
        if (best == NULL || beats(card, best, at))
            best = card;
    }
    for (int i = 0; i < at->legal.count; i++) {
        const char *card = at->legal.of[i];
        if (!in_hand(card, at))
            continue; /* an announcement */
        if (cheapest == NULL || cost(card, at) < cost(cheapest, at))
            cheapest = card;
        if (best == NULL || !beats(card, best, at))
            continue;
        if (card[1] != at->trump && (plain == NULL || cost(card, at) > cost(plain, at)))
            plain = card;
        if (card[1] == at->trump && (trump == NULL || cost(card, at) < cost(trump, at)))
            trump = card;
    }
    if (plain != NULL)
        return plain;
    if (trump != NULL && table >= WORTH_A_TRUMP)
        return trump;
    if (cheapest != NULL)
        return cheapest;
    /* An auction, a call: the first is always allowed, and passes where it may. */
    return at->legal.count > 0 ? at->legal.of[0] : "";
}
