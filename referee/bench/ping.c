/* One line to a child, one answer back, again and again, as fast as two processes can.

   ping ROUNDS SIZE: prints nanoseconds a round, for lines of SIZE bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char line[65536], question[65536];
static const char answer[] = "{\"id\":\"0123456789abcdef\",\"action\":\"7D\"}\n";

static void until_newline(int from) {
    for (int got = 0; got == 0 || line[got - 1] != '\n';) {
        int more = read(from, line + got, sizeof line - got);
        if (more <= 0) exit(0);
        got += more;
    }
}

static int echo(int from, int to) {
    for (;;) {
        until_newline(from);
        if (write(to, answer, sizeof answer - 1) < 0) return 1;
    }
}

int main(int argc, char **argv) {
    int to[2], back[2];
    if (argc != 3 || pipe(to) || pipe(back)) return 1;
    int rounds = atoi(argv[1]), size = atoi(argv[2]);
    if (rounds < 1 || size < 1 || size > (int)sizeof question) return 1;
    int child = fork();
    if (child < 0) return 1;
    if (child == 0) {
        close(to[1]);
        return echo(to[0], back[1]);
    }
    memset(question, 'x', size - 1);
    question[size - 1] = '\n';
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int round = 0; round < rounds; round++) {
        if (write(to[1], question, size) < 0) return 1;
        until_newline(back[0]);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double nanoseconds = (end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec);
    printf("%.1f\n", nanoseconds / rounds);
    return 0;
}
