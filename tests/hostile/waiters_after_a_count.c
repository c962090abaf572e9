// story: makes a count of it take long, by thousands of event counters, and waits, in an act, until it
//   has been held still for one, which it tells by its clock; then it lets go of them all and keeps
//   many thousands of waiters for a second, gives them back, and answers
// row: resources: processor stolen by every means
// memory: 512
// processes: 64
// time: move=8s,start=20s
// expect: memory
// before: 706,000 waiters for 0.4 to 0.8 seconds, 3 of 3 without a fault: no count came for three
//   seconds after one that had taken 0.3
// after: rests are short where the kernel needs more for a bot than before
// not-bare: bare counts no memory of the kernel
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "honest.h"

enum { WORKERS = 14, COUNTERS = 240, COPIES = 140, EPOLLS = 85, PATIENCE_MS = 3000, GAP_MS = 20 };

static int source[2];
static volatile int *takes;

static long now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Has many descriptors until it is told to take waiters in their place. */
static void work(void)
{
    int counters[COUNTERS], copies[COPIES];
    for (int made = 0; made < COUNTERS; made++)
        counters[made] = eventfd(0, 0);
    while (!*takes)
        usleep(1000);
    for (int made = 0; made < COUNTERS; made++)
        close(counters[made]);
    for (int made = 0; made < COPIES; made++)
        copies[made] = dup(source[0]);
    for (int made = 0; made < EPOLLS; made++) {
        int epoll = epoll_create1(0);
        struct epoll_event event = {.events = EPOLLIN | EPOLLET};
        for (int copy = 0; copy < COPIES; copy++)
            epoll_ctl(epoll, EPOLL_CTL_ADD, copies[copy], &event);
    }
    sleep(1);
    _exit(0);
}

/* Makes processes that end at once, so that no count is whole, until the clock leaps. */
static void wait_for_a_count(void)
{
    long until = now_ms() + PATIENCE_MS, last = now_ms();
    while (last < until) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        if (child > 0)
            waitpid(child, NULL, 0);
        long now = now_ms();
        if (now - last > GAP_MS)
            return;
        last = now;
    }
}

static void misdeed(void)
{
    if (sandboxed() && pipe(source) == 0) {
        takes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (takes == MAP_FAILED) // refused where that would stay: a file does as well
            takes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(tmpfile()), 0);
        for (int made = 0; made < WORKERS; made++)
            if (fork() == 0)
                work();
        wait_for_a_count();
        *takes = 1;
        while (wait(NULL) > 0)
            ;
    }
    answer();
}

int main(void)
{
    return play(misdeed);
}
