// story: makes empty files in /tmp as fast as it can
// row: resources: inode bomb
// memory: 128
// expect: late memory plays
// not-bare: bare has no /tmp of its own
#include <fcntl.h>

#include "honest.h"

static void misdeed(void)
{
    char name[64];
    for (int number = 0; sandboxed() && number < 4000000; number++) {
        snprintf(name, sizeof name, "/tmp/%d", number);
        int made = open(name, O_CREAT | O_WRONLY, 0600);
        if (made < 0)
            break;
        close(made);
    }
    answer();
}

int main(void)
{
    return play(misdeed);
}
