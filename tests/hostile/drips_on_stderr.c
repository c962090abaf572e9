// story: writes single bytes to stderr in its own act, as fast as it can, thousands of them
// row: protocol: slow drip
// time: move=100ms
// expect: plays late
// before: each byte woke a referee that came before all else, and took the core from the bot: every
//   deal was void, as if others had had the processor (6 of 6 matches given up)
// after: the referee comes first only until something has come
#include "honest.h"

enum { BYTES = 40000 };

static void misdeed(void)
{
    for (int written = 0; written < BYTES; written++)
        if (write(2, " ", 1) != 1)
            _exit(1);
    answer();
}

int main(void) { return play(misdeed); }
