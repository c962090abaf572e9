/* Sends bits to its next life by which pages of a file beside it it reads twice: `send SEED` does
 * so, `look SEED` times a read of each, and says how many of the last 140 of 200 bits it got wrong.
 * Where fast and slow part it learns from the first 60. In C, for the difference is 100 ns. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BITS = 200, PILOTS = 60, APART = 128 * 1024 };

static long took[BITS];
static int bits[BITS], file;

static long now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void touch(int page)
{
    char byte;
    if (pread(file, &byte, 1, (off_t)page * APART) != 1)
        _exit(1);
}

static int wrong(long limit, int fast, int from, int to)
{
    int count = 0;
    for (int bit = from; bit < to; bit++)
        count += ((took[bit] <= limit) == fast) != bits[bit];
    return count;
}

int main(void)
{
    char what[100];
    unsigned seed;
    if (fgets(what, sizeof what, stdin) == NULL || sscanf(what + 5, "%u", &seed) != 1)
        return 1;
    file = open("/bot/pages", O_RDONLY);
    srandom(seed);
    for (int bit = 0; bit < BITS; bit++)
        bits[bit] = random() >> 8 & 1;
    if (strncmp(what, "send", 4) == 0) {
        for (int bit = 0; bit < BITS; bit++)
            for (int time = 0; time < 2 * bits[bit]; time++)
                touch(bit);
        puts("sent");
    } else {
        long limit = 0;
        int best = BITS, fast = 1;
        for (int bit = 0; bit < BITS; bit++) {
            long begun = now_ns();
            touch(bit);
            took[bit] = now_ns() - begun;
        }
        for (int pilot = 0; pilot < 2 * PILOTS; pilot++) {
            int found = wrong(took[pilot / 2], pilot % 2, 0, PILOTS);
            if (found < best)
                best = found, limit = took[pilot / 2], fast = pilot % 2;
        }
        printf("%d\n", wrong(limit, fast, PILOTS, BITS));
    }
    fflush(stdout);
    return getchar() == EOF ? 0 : 1;
}
