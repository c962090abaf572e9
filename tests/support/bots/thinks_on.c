/* Uses MS of processor time for each answer, and thinks on after it until there is something to
 * read: `thinks_on MS`. */
#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include "honest.h"

static double used_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void work(double ms)
{
    double until = used_ms() + ms;
    while (used_ms() < until)
        continue;
}

int main(int argc, char **argv)
{
    double ms = argc > 1 ? atof(argv[1]) : 0;
    struct pollfd input = {.fd = 0, .events = POLLIN};
    setvbuf(stdin, NULL, _IONBF, 0); /* else a line could lie here that poll does not see */
    alarm(LIFE_S);
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strncmp(line, "{\"type\":\"hello\"", 15) == 0) {
            puts("{\"type\":\"ready\",\"protocol\":1,\"name\":\"thinks-on\"}");
            fflush(stdout);
        } else if (strncmp(line, "{\"type\":\"act\"", 13) == 0) {
            work(ms);
            answer();
            while (poll(&input, 1, 0) == 0)
                work(0.3);
        } else if (strncmp(line, "{\"type\":\"end\"", 13) == 0) {
            break;
        }
    }
    return 0;
}
