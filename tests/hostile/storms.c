// story: has all its processes poll an epoll of ten thousand entries, and wakes it: one write that
//   keeps the core, interrupts and all, for seconds; several processes do so one after the other
// row: resources: processor stolen by every means
// kinds: act start end
// memory: 512
// processes: 128
// time: move=2s,start=20s
// expect: memory late startup plays
// before: a core stopped for 9 to 26 s; while the other's container was made all deals were void,
//   uncharged, and 9 of 9 matches given up; a killed referee was outlived by 9 s
// after: a poll has 31 descriptors at most, a bot that works while another is started is stopped,
//   and one that goes on in the kernel after it was stopped is charged
// not-bare: bare refuses no system calls
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include "honest.h"

enum { FILES = 54, FIRST = 64, LAST = 254, POLLERS = 90, WRITERS = 30, POLLED = 31, OLD = 256 };

static const char *when;
static int ends[FILES];

static void set_up(void)
{
    struct pollfd polled[OLD];
    int source = epoll_create1(0);
    mkfifo("/tmp/source", 0600);
    for (int file = 0; file < FILES; file++) {
        ends[file] = open("/tmp/source", O_RDWR | O_NONBLOCK);
        for (int number = FIRST; number < LAST; number++) {
            struct epoll_event event = {.events = EPOLLIN};
            if (dup2(ends[file], number) < 0)
                return;
            epoll_ctl(source, EPOLL_CTL_ADD, number, &event);
            close(number);
        }
    }
    for (int place = 0; place < OLD; place++)
        polled[place] = (struct pollfd){.fd = source, .events = POLLIN};
    for (int poller = 0; poller < POLLERS; poller++) {
        if (fork() == 0) {
            alarm(LIFE_S);
            if (poll(polled, OLD, -1) < 0) /* refused: then as many as are not */
                while (poll(polled, POLLED, -1) >= 0)
                    ;
            _exit(0);
        }
    }
    usleep(3000);
}

static void storm(void)
{
    for (int writer = 0; writer < WRITERS; writer++) {
        if (fork() == 0) {
            for (int time = 0; time < 3; time++)
                write(ends[0], "x", 1);
            _exit(0);
        }
    }
}

static void misdeed(void)
{
    if (sandboxed() && strcmp(when, "act") == 0) {
        set_up();
        answer();
        storm();
    } else {
        answer();
    }
}

/* Just after `ready`, so that it storms while the other one is started, if it is not stopped. */
static void begin(void)
{
    if (!sandboxed() || strcmp(when, "start") != 0 || fork() != 0)
        return;
    usleep(10000);
    set_up();
    storm();
    _exit(0);
}

int main(int count, char **words)
{
    when = count > 1 ? words[1] : "";
    begin();
    int code = play(misdeed);
    if (sandboxed() && strcmp(when, "end") == 0) {
        set_up();
        storm();
        sleep(LIFE_S);
    }
    return code;
}
