#ifndef READING_H
#define READING_H

#include "choose.h"

/* What this bot needs of a message. Its strings lie in the line that was read. */
struct message {
    const char *type, *id, *profile;
    struct position at; /* all but `ranks` */
};

/* Reads a line, and changes it: strings are ended in place. */
void read_message(char *line, struct message *m);

/* The ranks of `rank_profile` (SPEC 11.1), highest first. */
const char *ranks_of(const char *profile);

#endif
