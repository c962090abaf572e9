// story: writes to address zero
// row: protocol: SIGSEGV
// expect: crashed
// hint: must live until `end`
#include "honest.h"

static void misdeed(void)
{
    *(volatile int *)0 = 1;
}

int main(void)
{
    return play(misdeed);
}
