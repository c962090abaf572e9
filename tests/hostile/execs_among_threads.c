// story: starts processes of several idle threads that call execve, just before each answer: stopped
//   then, such a process waits in the kernel for its threads until it is let go on (version 1)
// row: resources: processor stolen by every means
// time: move=1s
// expect: plays
// before: the referee waited for them for as long as the act might take, and this honest bot was late
//   in 3 of 3 matches of 8 deals at a clock of 100 ms
// after: a thread that is blocked in the kernel is not waited for: in none of 3
#include <pthread.h>
#include <signal.h>

#include "honest.h"

enum { PROCESSES = 4, THREADS = 8 };

static void *idle(void *nothing)
{
    pause();
    return nothing;
}

static void start(void)
{
    pthread_t thread;
    if (fork() != 0)
        return;
    alarm(LIFE_S);
    for (int number = 0; number < THREADS; number++)
        pthread_create(&thread, NULL, idle, NULL);
    execl("/usr/bin/true", "true", NULL);
    _exit(1);
}

static void start_and_answer(void)
{
    for (int number = 0; number < PROCESSES; number++)
        start();
    answer();
}

int main(void)
{
    signal(SIGCHLD, SIG_IGN);
    return play_each(start_and_answer);
}
