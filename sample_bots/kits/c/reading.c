/* Reads of a message what a decision needs. Unknown fields are skipped, whatever they hold. */
#include "reading.h"

#include <string.h>

/* Moves *p past the value that starts there, however deep it is nested. */
static void skip(char **p);

/* The string that starts at *p, ended with a NUL in place; "" where there is something else. */
static const char *string(char **p)
{
    if (**p != '"') {
        skip(p);
        return "";
    }
    char *start = ++*p;
    while (**p != '"' && **p != '\0')
        *p += **p == '\\' && (*p)[1] != '\0' ? 2 : 1; /* \" does not end a string */
    if (**p == '"')
        *(*p)++ = '\0';
    return start;
}

static void skip(char **p)
{
    int depth = 0;
    while (**p != '\0' && (depth > 0 || (**p != ',' && **p != '}'))) {
        depth += (**p == '{' || **p == '[') - (**p == '}' || **p == ']');
        if (**p == '"')
            string(p);
        else
            ++*p;
    }
}

static void read_strings(char **p, struct strings *found)
{
    if (**p != '[') {
        skip(p);
        return;
    }
    for (++*p; **p == '"'; *p += **p == ',') {
        const char *text = string(p);
        if (found->count < MAX_STRINGS)
            found->of[found->count++] = text;
    }
    *p += **p == ']';
}

/* The next key of the object that *p is in or in front of; *p is at its value then. */
static const char *next_key(char **p)
{
    if (**p == '{' || **p == ',') {
        ++*p;
        if (**p == '"') {
            const char *key = string(p);
            *p += **p == ':';
            return key;
        }
    }
    *p += **p == '}';
    return NULL;
}

static void read_view(char **p, struct position *at)
{
    const char *key;
    while ((key = next_key(p)) != NULL) {
        if (strcmp(key, "hand") == 0)
            read_strings(p, &at->hand);
        else if (strcmp(key, "trick") == 0)
            read_strings(p, &at->trick);
        else if (strcmp(key, "trump") == 0)
            at->trump = string(p)[0]; /* null is no string: "" */
        else
            skip(p);
    }
}

static void read_options(char **p, struct message *m)
{
    const char *key;
    while ((key = next_key(p)) != NULL) {
        if (strcmp(key, "rank_profile") == 0)
            m->profile = string(p);
        else
            skip(p);
    }
}

void read_message(char *line, struct message *m)
{
    char **p = &line;
    const char *key;
    memset(m, 0, sizeof *m);
    m->type = m->id = m->profile = "";
    while ((key = next_key(p)) != NULL) {
        if (strcmp(key, "type") == 0)
            m->type = string(p);
        else if (strcmp(key, "id") == 0)
            m->id = string(p);
        else if (strcmp(key, "legal") == 0)
            read_strings(p, &m->at.legal);
        else if (strcmp(key, "view") == 0 && **p == '{')
            read_view(p, &m->at);
        else if (strcmp(key, "options") == 0 && **p == '{')
            read_options(p, m);
        else
            skip(p);
    }
}

const char *ranks_of(const char *profile)
{
    static const char *const table[][2] = {
        {"gen7", "A7KQJ65432"},   {"pt7", "A7KJQ65432"},      {"pt7_qj", "A7KQJ65432"},
        {"pt10", "ATKJQ65432"},   {"it3_low3", "AKQJ765432"}, {"it7", "A7KQJ65432"},
        {"es48", "A3KQJ9876542"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i][0], profile) == 0)
            return table[i][1];
    return "A3KQJ76542"; /* it3 */
}
