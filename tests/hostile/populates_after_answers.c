// story: has a thread in one long call of the kernel, which fills page tables, whenever it answers:
//   a thread that is to stop does so on its way back from there
// row: resources: processor stolen by every means
// time: move=2s
// expect: plays
// before: an honest bot that thinks for 70 ms of each 100 had 575 of 2,021 ms beside seven of these
//   (bisca of 8 seats, 30 acts), in Docker 499, and 3.1 of 4.0 s beside one; none was charged
// after: the next bot is not asked before this one stands still, and the call is of its own act:
//   1,996 ms, in Docker 1,984, and 4.03 s
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#include "honest.h"

enum { HOW = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_POPULATE };

static const size_t SIZE = 300UL << 20;
static int orders[2];

static void *fill(void *nothing)
{
    char order;
    while (read(orders[0], &order, 1) == 1) { // page by page: it takes some 40 ms
        void *area = mmap(NULL, SIZE, PROT_READ, HOW, -1, 0);
        munmap(area, SIZE);
    }
    return nothing;
}

static void order_and_answer(void)
{
    struct timespec moment = {0, 300000};
    if (write(orders[1], "", 1) != 1)
        _exit(1);
    nanosleep(&moment, NULL);
    answer();
}

int main(void)
{
    pthread_t thread;
    if (pipe(orders) != 0 || pthread_create(&thread, NULL, fill, NULL) != 0)
        return 1;
    return play_each(order_and_answer);
}
