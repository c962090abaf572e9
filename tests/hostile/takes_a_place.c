// story: is silent, while a process of it is ready to run whenever the referee looks and sleeps
//   between: there another thread comes in the place of the first by execve, which has slept as often
// row: resources: processor stolen by every means
// expect: late
// before: its sleep was taken for a wait for the processor: the deal was void, uncharged, and 9 of 9
//   matches given up in Docker at clocks of 100 ms to 1 s, 5 of 6 by this one in bubblewrap
// after: such a wait counts only for a thread that has not run at all between two looks: late
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "honest.h"

enum { MOVE_US = 300000, FIRST_LOOK_US = 3000, SLEPT = 12, BEFORE_US = 2000, AFTER_US = 6000 };

static volatile int goes_on;
static char words[3][24];

static long long us(clockid_t of)
{
    struct timespec time;
    clock_gettime(of, &time);
    return time.tv_sec * 1000000LL + time.tv_nsec / 1000;
}

static long slept(void)
{
    struct rusage used;
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nvcsw;
}

static void sleep_until(long long when)
{
    long long soon = us(CLOCK_MONOTONIC) + 30; /* to be late for it would be no sleep */
    when = when > soon ? when : soon;
    struct timespec time = {when / 1000000, when % 1000000 * 1000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0)
        continue;
}

static void *successor(void *when)
{
    sleep_until(*(long long *)when);
    while (!goes_on)
        continue;
    execl("./bot", "bot", words[0], words[1], words[2], NULL);
    _exit(1);
}

/* Be ready at a look, having slept SLEPT times, and have another thread be so at the next one. */
static void seem_ready(long long asked, long long look, int looks)
{
    pthread_t thread;
    long long after = look + AFTER_US + 200, last, seen = look;
    pthread_create(&thread, NULL, successor, &after);
    while (slept() < SLEPT - 1)
        sleep_until(us(CLOCK_MONOTONIC) + 20);
    while (slept() < SLEPT)
        sleep_until(look - BEFORE_US);
    for (last = us(CLOCK_MONOTONIC); last < look + AFTER_US;) {
        long long now = us(CLOCK_MONOTONIC);
        if (now - last > 400 && now > look) /* the referee has looked */
            seen = last;
        last = now;
    }
    long long own = us(CLOCK_PROCESS_CPUTIME_ID) + 300;
    long long next = looks == 0 ? asked + MOVE_US : seen + MOVE_US - own;
    snprintf(words[0], sizeof words[0], "%lld", asked);
    snprintf(words[1], sizeof words[1], "%lld", next);
    snprintf(words[2], sizeof words[2], "%d", looks + 1);
    goes_on = 1;
    for (;;)
        pause();
}

static void misdeed(void)
{
    long long asked = us(CLOCK_MONOTONIC);
    if (fork() == 0) {
        alarm(LIFE_S);
        seem_ready(asked, asked + FIRST_LOOK_US, 0);
    }
    for (;;)
        pause();
}

int main(int count, char **told)
{
    if (count > 3)
        seem_ready(atoll(told[1]), atoll(told[2]), atoi(told[3]));
    return play(misdeed);
}
