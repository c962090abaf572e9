/* A bot that plays the first legal action. C11 and POSIX, no libraries.
 * Build: gcc -O2 -Wall -Wextra -o first first.c */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 128 * 1024, MAX_LEGAL = 256 }; /* a line has at most 64 KiB */

static const char ready[] =
    "{\"type\":\"ready\",\"protocol\":1,\"name\":\"first-c\",\"version\":\"1\"}\n";

/* What this bot needs of a message: three fields of its top level. */
struct message {
    const char *type, *id, *legal[MAX_LEGAL];
    int count;
};

/* The decision: one of the `count` actions in `legal`. */
static const char *choose(const char *const legal[], int count)
{
    return count > 0 ? legal[0] : "";
}

/* The string that starts at *p, ended with a NUL in place; *p moves past it. */
static char *string(char **p)
{
    if (**p != '"')
        return "";
    char *start = ++*p;
    while (**p != '"' && **p != '\0')
        *p += **p == '\\' && (*p)[1] != '\0' ? 2 : 1; /* \" does not end a string */
    if (**p == '"')
        *(*p)++ = '\0';
    return start;
}

/* Moves *p past the value that starts there, however deep it is nested. */
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

/* Reads a line until all that counts is known. Unknown fields are skipped, whatever they hold. */
static void parse(char *p, struct message *m)
{
    m->type = m->id = "";
    m->count = 0;
    while (*p == '{' || *p == ',') {
        p++;
        const char *key = string(&p);
        if (*p++ != ':')
            return;
        if (strcmp(key, "type") == 0) {
            m->type = string(&p);
            if (strcmp(m->type, "act") != 0)
                return; /* only `act` has more to tell */
        } else if (strcmp(key, "id") == 0) {
            m->id = string(&p);
        } else if (strcmp(key, "legal") == 0) {
            for (p++; *p == '"' && m->count < MAX_LEGAL; p += *p == ',')
                m->legal[m->count++] = string(&p);
            return; /* `type` and `id` come before it */
        } else {
            skip(&p);
        }
    }
}

/* Does what a line asks for. False when it was the last one. */
static bool handle(char *line)
{
    static char out[BUFFER]; /* an answer is shorter than the line that it answers */
    struct message m;
    int length = 0;
    parse(line, &m);
    if (strcmp(m.type, "hello") == 0)
        length = snprintf(out, sizeof out, "%s", ready);
    else if (strcmp(m.type, "act") == 0)
        length = snprintf(out, sizeof out, "{\"id\":\"%s\",\"action\":\"%s\"}\n", m.id,
                          choose(m.legal, m.count));
    /* The flush trap: printf to a pipe keeps the answer in a buffer, and the referee waits for it
     * in vain. write() has no buffer; with printf, call fflush(stdout) after every line. */
    if (length > 0 && write(STDOUT_FILENO, out, (size_t)length) != length)
        return false;
    return strcmp(m.type, "end") != 0;
}

/* A read may bring half a line or many: whole lines are handled, the rest stays for the next. */
int main(void)
{
    static char buffer[BUFFER];
    size_t filled = 0;
    ssize_t got; /* 0 at the end of input */
    while ((got = read(STDIN_FILENO, buffer + filled, sizeof buffer - filled)) > 0) {
        char *line = buffer, *fresh = buffer + filled, *newline;
        filled += (size_t)got;
        while ((newline = memchr(fresh, '\n', (size_t)(buffer + filled - fresh))) != NULL) {
            *newline = '\0';
            if (!handle(line))
                return 0;
            line = fresh = newline + 1;
        }
        filled -= (size_t)(line - buffer);
        memmove(buffer, line, filled);
    }
    return 0;
}
