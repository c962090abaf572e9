// story: keeps thousands of waiters in processes each of which lives for some microseconds: it makes
//   another that shares what it has, and ends; for two seconds of an act, then it answers
// row: resources: processor stolen by every means
// memory: 512
// processes: 128
// time: move=5s,start=20s
// expect: memory
// before: 139,000 waiters, and 167,000 mappings, held for three seconds; who came to look found no
//   process, and counted nothing
// after: where others are there after a count than before it, all are held still and counted again
// not-bare: bare counts no memory of the kernel
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "honest.h"

enum { CHAINS = 10, EPOLLS = 100, COPIES = 120, AT_A_TIME = 200, STACK = 65536, HELD_S = 2 };

static char stacks[2][STACK];
static int source[2], copies[COPIES], epolls[EPOLLS], copied, waiting;
static time_t until;

static time_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

/* Makes some more waiters, hands everything on, and ends. */
static int link_of_chain(void *turn)
{
    int other = !*(int *)turn;
    for (int made = 0; made < AT_A_TIME && waiting < EPOLLS * COPIES; made++) {
        if (copied < COPIES) {
            copies[copied++] = dup(source[0]);
            continue;
        }
        if (waiting % COPIES == 0)
            epolls[waiting / COPIES] = epoll_create1(0);
        struct epoll_event event = {.events = EPOLLIN | EPOLLET};
        epoll_ctl(epolls[waiting / COPIES], EPOLL_CTL_ADD, copies[waiting % COPIES], &event);
        waiting++;
    }
    static int turns[2];
    turns[other] = other;
    while (now() < until && clone(link_of_chain, stacks[other] + STACK, CLONE_VM, turns + other) < 0)
        sched_yield();
    syscall(SYS_exit_group, 0);
    return 0;
}

static void misdeed(void)
{
    if (sandboxed() && pipe(source) == 0) {
        signal(SIGCHLD, SIG_IGN);
        until = now() + HELD_S;
        for (int chain = 0; chain < CHAINS; chain++)
            if (fork() == 0) {
                int first = 1;
                link_of_chain(&first);
            }
        while (now() <= until) // until the last of them has ended
            usleep(10000);
    }
    answer();
}

int main(void)
{
    return play(misdeed);
}
