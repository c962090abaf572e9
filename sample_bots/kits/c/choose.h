#ifndef CHOOSE_H
#define CHOOSE_H

enum { MAX_STRINGS = 256 };

struct strings {
    const char *of[MAX_STRINGS];
    int count;
};

/* What a decision needs. A card is its rank, then its suit: "7D"; a covered two is "2". */
struct position {
    struct strings hand, legal, trick;
    char trump;        /* 0 while there is none */
    const char *ranks; /* highest first */
};

/* The decision: one of `legal`. */
const char *choose(const struct position *at);

#endif
