// story: its threads wait for each other before `ready`; in an act, those that waited come to be
//   looked at, since older ones end or one of them calls `execve`, and it never answers
// row: resources: processor stolen by every means
// kinds: leave exec
// time: move=200ms,bank=0s,soft=0ms,start=20s
// expect: late
// before: its own waits of before counted as others' work: three deals of three were void, uncharged,
//   and 7 of 7 matches given up
// after: from one look to the next no thread has waited for longer than that was
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

#include "honest.h"

enum { OLD = 20, THREADS = 44, SPIN_MS = 1500 };

static volatile int now;
static long until;
static int exec_in_thread;

static long ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void *save(void *number)
{
    int old = (long)number < OLD;
    while (ms() < until)
        ;
    while (!old || !now) {
        usleep(1000);
        if (now && exec_in_thread)
            execl("/bin/sleep", "sleep", "40", (char *)NULL);
    }
    return NULL;
}

static void misdeed(void)
{
    usleep(50000);
    now = 1;
    for (;;)
        pause();
}

int main(int count, char **words)
{
    pthread_t thread;
    exec_in_thread = count > 1 && strcmp(words[1], "exec") == 0;
    until = ms() + SPIN_MS;
    for (long number = 0; number < (exec_in_thread ? OLD : THREADS); number++)
        if (pthread_create(&thread, NULL, save, (void *)number) != 0)
            return 1;
    while (ms() < until)
        usleep(10000);
    return play(misdeed);
}
