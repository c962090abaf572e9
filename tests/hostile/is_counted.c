// story: keeps 115 processes of 240 descriptors each, an eighth of them in an epoll: within all
//   bounds, and long to count, each time that the kernel's memory for it may have grown
// row: resources: processor stolen by every means
// memory: 512
// processes: 128
// time: move=5s,start=20s
// expect: plays
// before: beside eight of them some were charged (memory) at each look in 2 of 3 matches, for a count
//   that waited for our own lock counted as locked out; beside four a bot that thought on after its
//   answer was late at 65 % of a clock of 100 ms (3 of 3 matches)
// after: what takes long is counted by a process of ours, and the referee comes first while it waits
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include "honest.h"

enum { WORKERS = 115, COPIES = 240, POLLED = 8 };

/* Waits for as long as its bot lives, with all that it has open. */
static void wait_with_much(void)
{
    int pipes[2], epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    if (pipe(pipes) != 0)
        _exit(1);
    for (int made = 0; made < COPIES; made++) {
        int copy = dup(pipes[0]);
        if (copy >= 0 && made % POLLED == 0)
            epoll_ctl(epoll, EPOLL_CTL_ADD, copy, &event);
    }
    alarm(LIFE_S);
    for (;;)
        pause();
}

/* Starts one that ends at once: what the kernel needs for the bot has changed then. */
static void change_a_little(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
}

int main(void)
{
    alarm(LIFE_S);
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strncmp(line, "{\"type\":\"hello\"", 15) == 0) {
            for (int made = 0; made < WORKERS && sandboxed(); made++)
                if (fork() == 0)
                    wait_with_much();
            puts("{\"type\":\"ready\",\"protocol\":1,\"name\":\"is-counted\"}");
            fflush(stdout);
        } else if (strncmp(line, "{\"type\":\"act\"", 13) == 0) {
            change_a_little();
            answer();
        } else if (strncmp(line, "{\"type\":\"end\"", 13) == 0) {
            break;
        }
    }
    return 0;
}
