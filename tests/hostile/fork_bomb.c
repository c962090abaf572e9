// story: forks, and so do its children, until nothing more is granted
// row: resources: fork bomb
// expect: late memory - its forks lock what is read to count its mappings; on a slow machine for so
//   many looks that it is ended for that
// not-bare: bare bounds no number of processes
#include "honest.h"

enum { BOMB_S = 10 };

static void misdeed(void)
{
    if (!sandboxed()) {
        answer();
        return;
    }
    for (;;) {
        fork();
        alarm(BOMB_S);
    }
}

int main(void)
{
    return play(misdeed);
}
