// story: makes a system call as programs of 32 bits do, past filters that do not look for that
// row: escape: int 0x80
// expect: crashed
// not-bare: bare forbids no system call
#include "honest.h"

enum { GETPID = 20, NO_SUCH_CALL = -38 };

static void misdeed(void)
{
    long found = NO_SUCH_CALL;
    if (sandboxed()) {
#ifdef __x86_64__
        __asm__ volatile("int $0x80" : "=a"(found) : "a"(GETPID) : "memory");
#else
        *(volatile int *)0 = 1; /* such a call does not exist here */
#endif
    }
    if (found > 0)
        answer_with("ESCAPED:int 0x80");
    else
        answer();
}

int main(void)
{
    return play(misdeed);
}
