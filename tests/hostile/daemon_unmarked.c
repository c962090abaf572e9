// story: leaves a daemon without environment, arguments, pipes or folder, and dies
// row: escape: daemon that holds the pipe
// expect: crashed
// hint: must live until `end`
#include <stdlib.h>
#include <fcntl.h>

#include "honest.h"

static void misdeed(void)
{
    char *nothing[] = {NULL}, *words[] = {"sleep", "40", NULL};
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            int null = open("/dev/null", O_RDWR);
            for (int descriptor = 0; descriptor < 3; descriptor++)
                dup2(null, descriptor);
            if (chdir("/") == 0)
                execve("/bin/sleep", words, nothing);
        }
        _exit(0);
    }
    usleep(20000);
    exit(1);
}

int main(void)
{
    return play(misdeed);
}
