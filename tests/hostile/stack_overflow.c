// story: calls itself until the stack is full
// row: protocol: SIGSEGV
// expect: crashed
// hint: must live until `end`
#include "honest.h"

static int deeper(volatile char *above)
{
    volatile char here[65536];
    here[0] = above[0];
    return deeper(here) + here[0];
}

static void misdeed(void)
{
    volatile char top = 0;
    alarm((unsigned)deeper(&top));
}

int main(void)
{
    return play(misdeed);
}
