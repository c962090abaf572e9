/* A bot to start from: choose.c decides, reading.c reads, this talks. C11 and POSIX, no libraries. */
#include "reading.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 128 * 1024 }; /* a line has at most 64 KiB */

static const char ready[] =
    "{\"type\":\"ready\",\"protocol\":1,\"name\":\"my-bot\",\"version\":\"1\"}\n";

/* Does what a line asks for, which may be nothing. False when it was the last one. */
static bool handle(char *line)
{
    static const char *ranks = "";
    static char out[BUFFER]; /* an answer is shorter than the line that it answers */
    struct message m;
    int length = 0;
    read_message(line, &m);
    if (strcmp(m.type, "hello") == 0)
        length = snprintf(out, sizeof out, "%s", ready);
    else if (strcmp(m.type, "deal") == 0)
        ranks = ranks_of(m.profile);
    else if (strcmp(m.type, "act") == 0) {
        m.at.ranks = ranks;
        length = snprintf(out, sizeof out, "{\"id\":\"%s\",\"action\":\"%s\"}\n", m.id,
                          choose(&m.at));
    }
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
