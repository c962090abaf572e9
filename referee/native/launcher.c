/* The first program of a bot, outside its sandbox and again inside: it takes the steps that its
 * words name, in their order, and becomes the program that they end with.
 *
 *     launcher STEP... -- PROGRAM ARGUMENT...
 *
 *     join PATH       into the control group whose `cgroup.procs` or `tasks` this is
 *     limit N:MOST    setrlimit(2): resource N, as a number, to MOST, for good
 *     small           has no huge pages: one stays whole when all but a part of it is given back,
 *                     and only control groups count the rest
 *     idle            runs when no other program wants the processor
 *     memory FOLDER OPTIONS
 *                     FOLDER is memory for files (tmpfs) with these options, which only this process
 *                     and those that it starts see; for root only
 *     overlay FOLDER OPTIONS
 *                     likewise, FOLDER shows other folders, read-only, as these options say
 *     user ID GROUP   is that user from here on, of its own group of the same number and of GROUP
 *     streams FOLDER  FOLDER's `in`, `out` and `err` are its streams; says so with an empty line,
 *                     and waits for a line
 *     close FD
 *     read PATH       what `wall` leaves readable in /proc, if it is there
 *     wall            nothing below /proc is opened any more (see `wall`)
 *     refuse          the calls that `wall` needs are refused (see `refuse`)
 *
 * It stands on no library, so that it starts in a tenth of a millisecond and runs in any image.
 */

#include <asm/unistd.h>

#define ENOENT 2
#define EINTR 4
#define ENOEXEC 8
#define EACCES 13
#define ENOTDIR 20

#define FAILED 97 /* the exit of a step that could not be taken */
#define NOT_RUN 126
#define NOT_FOUND 127

#if defined(__x86_64__)

#define OPENAT_DIRECTORY 0200000
#define OPENAT_NOFOLLOW 0400000
__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall begin\n");

static long call(long number, long a, long b, long c, long d, long e) {
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return result;
}

#elif defined(__aarch64__)

#define OPENAT_DIRECTORY 040000
#define OPENAT_NOFOLLOW 0100000
__asm__(".globl _start\n_start:\n\tmov x29, #0\n\tmov x0, sp\n\tbl begin\n");

static long call(long number, long a, long b, long c, long d, long e) {
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
    return x0;
}

#else
#error "the launcher is written for x86_64 and aarch64"
#endif

#define CALL(number, a, b, c, d, e) \
    call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e))

enum { AT_FDCWD = -100, O_RDONLY = 0, O_WRONLY = 1, O_PATH = 010000000, O_CLOEXEC = 02000000 };

/* ---- text ---- */

static unsigned long length(const char *text) {
    unsigned long n = 0;
    while (text[n]) n++;
    return n;
}

static int same(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

static void say(const char *text) {
    CALL(__NR_write, 2, text, length(text), 0, 0);
}

static void leave(int status) {
    for (;;) CALL(__NR_exit_group, status, 0, 0, 0, 0);
}

static void fail(const char *step, const char *value) {
    say("launcher: cannot take the step ");
    say(step);
    say(" ");
    say(value);
    say("\n");
    leave(FAILED);
}

/* The number at the start of *text, which is moved behind it. */
static unsigned long number(const char **text) {
    unsigned long n = 0;
    while (**text >= '0' && **text <= '9') n = n * 10 + (unsigned long)(*(*text)++ - '0');
    return n;
}

/* ---- steps ---- */

static int open_at(int folder, const char *path, int flags) {
    return (int)CALL(__NR_openat, folder, path, flags | O_CLOEXEC, 0, 0);
}

static int join(const char *path) {
    int door = open_at(AT_FDCWD, path, O_WRONLY);
    if (door < 0 || CALL(__NR_write, door, "0", 1, 0, 0) != 1) return -1;
    return (int)CALL(__NR_close, door, 0, 0, 0, 0);
}

static int limit(const char *text) {
    unsigned long most[2], resource = number(&text);
    if (*text++ != ':') return -1;
    most[0] = most[1] = number(&text);
    return (int)CALL(__NR_prlimit64, 0, resource, most, 0, 0);
}

static int small(void) {
    const int set_thp_disable = 41;
    return (int)CALL(__NR_prctl, set_thp_disable, 1, 0, 0, 0);
}

static int idle(void) {
    const int idle_policy = 5, priority = 0;
    return (int)CALL(__NR_sched_setscheduler, 0, idle_policy, &priority, 0, 0);
}

/* Mounts of this process are its own from the first on, and so are gone with it and its children;
 * what the host unmounts is unmounted here, too, where its mounts are shared. */
static int mount(const char *kind, const char *folder, const char *options, long flags) {
    const long new_mounts = 0x20000, slaves_below = 1 << 19 | 1 << 14, no_setuid_no_devices = 2 | 4;
    static int alone = 0;
    if (!alone) {
        if (CALL(__NR_unshare, new_mounts, 0, 0, 0, 0)) return -1;
        if (CALL(__NR_mount, "none", "/", 0, slaves_below, 0)) return -1;
        alone = 1;
    }
    return (int)CALL(__NR_mount, kind, folder, kind, no_setuid_no_devices | flags, options);
}

static int memory(const char *folder, const char *options) {
    return mount("tmpfs", folder, options, 0);
}

static int overlay(const char *folder, const char *options) {
    const long read_only = 1;
    return mount("overlay", folder, options, read_only);
}

static int user(const char *id_text, const char *group_text) {
    unsigned long id = number(&id_text);
    unsigned int group = (unsigned int)number(&group_text);
    if (CALL(__NR_setgroups, 1, &group, 0, 0, 0)) return -1;
    if (CALL(__NR_setresgid, id, id, id, 0, 0)) return -1;
    return (int)CALL(__NR_setresuid, id, id, id, 0, 0);
}

/* Whether a line came before the end. */
static int wait_for_line(void) {
    char byte = 0;
    long got;
    do got = CALL(__NR_read, 0, &byte, 1, 0, 0);
    while (got == -EINTR || (got == 1 && byte != '\n'));
    return got == 1;
}

static int streams(const char *path) {
    static const char *const names[] = {"in", "out", "err"};
    int folder = open_at(AT_FDCWD, path, O_PATH);
    if (folder < 0) return -1;
    for (int i = 0; i < 3; i++) {
        int end = open_at(folder, names[i], i ? O_WRONLY : O_RDONLY);
        if (end < 0 || CALL(__NR_dup3, end, i, 0, 0, 0) < 0) return -1;
        CALL(__NR_close, end, 0, 0, 0, 0);
    }
    CALL(__NR_close, folder, 0, 0, 0, 0);
    CALL(__NR_write, 1, "\n", 1, 0, 0);
    if (!wait_for_line()) leave(0);
    return 0;
}

/* ---- the wall in front of /proc ---- */

#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule 445
#define __NR_landlock_restrict_self 446
#endif

/* Of <linux/landlock.h>, which older systems do not have. */
enum { WRITE_FILE = 1 << 1, READ_FILE = 1 << 2, REFER = 1 << 13 };
enum { PATH_BENEATH = 1 };
#define OF_FILES (WRITE_FILE | READ_FILE)
#define OF_FOLDERS (OF_FILES | REFER)

struct path_beneath {
    unsigned long long allowed;
    int parent;
} __attribute__((packed));

/* Allow a file, or what lies in a folder, if it is there. */
static void allow(int rules, int folder, const char *path, unsigned long long what) {
    struct path_beneath rule = {what, open_at(folder, path, O_PATH | OPENAT_NOFOLLOW)};
    if (rule.parent < 0) return;
    CALL(__NR_landlock_add_rule, rules, PATH_BENEATH, &rule, 0, 0);
    CALL(__NR_close, rule.parent, 0, 0, 0, 0);
}

struct entry {
    unsigned long long inode;
    long long offset;
    unsigned short size;
    unsigned char type;
    char name[];
};

/* Whether a type of an entry is none of a folder, and known. */
static int is_file(unsigned char type) {
    const unsigned char unknown = 0, directory = 4;
    return type != unknown && type != directory;
}

static int allow_all_but_proc(int rules) {
    char buffer[4096] __attribute__((aligned(8)));
    int root = open_at(AT_FDCWD, "/", O_RDONLY | OPENAT_DIRECTORY);
    long size;
    if (root < 0) return -1;
    while ((size = CALL(__NR_getdents64, root, buffer, sizeof buffer, 0, 0)) > 0)
        for (long at = 0; at < size;) {
            struct entry *entry = (struct entry *)(buffer + at);
            const int link = 10;
            if (entry->type != link && !same(entry->name, "proc") && !same(entry->name, ".") &&
                !same(entry->name, ".."))
                allow(rules, root, entry->name, is_file(entry->type) ? OF_FILES : OF_FOLDERS);
            at += entry->size;
        }
    CALL(__NR_close, root, 0, 0, 0, 0);
    return (int)size;
}

struct instruction {
    unsigned short code;
    unsigned char if_true, if_false;
    unsigned int value;
};

struct filter {
    unsigned short length;
    const struct instruction *instructions;
};

enum { LOAD = 0x20, JUMP_EQUAL = 0x15, JUMP_AT_LEAST = 0x35, RETURN = 0x06 };
enum { ALLOW = 0x7fff0000, ENOSYS_ERROR = 0x00050026, EPERM_ERROR = 0x00050001 };
enum { PR_SET_SECCOMP = 22, PR_SET_NO_NEW_PRIVS = 38 };

/* What the sandbox's filter leaves to this program is taken from the bot: rules for files, which
 * are memory of the kernel, and filters. The processor's kind is looked at by the sandbox's own. */
static int refuse(void) {
    static const struct instruction program[] = {
        {LOAD, 0, 0, 0}, /* the number */
        {JUMP_EQUAL, 2, 0, __NR_prctl},
        {JUMP_AT_LEAST, 0, 5, __NR_landlock_create_ruleset},
        {JUMP_AT_LEAST, 4, 3, __NR_landlock_restrict_self + 1},
        {LOAD, 0, 0, 16}, /* prctl's first argument */
        {JUMP_EQUAL, 0, 2, PR_SET_SECCOMP},
        {RETURN, 0, 0, EPERM_ERROR},
        {RETURN, 0, 0, ENOSYS_ERROR},
        {RETURN, 0, 0, ALLOW},
    };
    const struct filter filter = {sizeof program / sizeof *program, program};
    if (CALL(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
    return (int)CALL(__NR_prctl, PR_SET_SECCOMP, 2, &filter, 0, 0);
}

/* Nothing of /proc can be opened but the paths named, by this process and all that it starts.
 *
 * There are marks in /proc/PID that outlive a bot, and a mount over them would have to name processes
 * that are yet to come. Links such as /proc/self/exe are still read and followed, and folders listed.
 * It takes Landlock of Linux 5.19: before, files could not be moved from folder to folder then. */
static int wall(char **readable, int count) {
    const unsigned long long handled = OF_FOLDERS;
    int rules = (int)CALL(__NR_landlock_create_ruleset, &handled, sizeof handled, 0, 0, 0);
    if (rules < 0 || allow_all_but_proc(rules)) return -1;
    for (int i = 0; i < count; i++) allow(rules, AT_FDCWD, readable[i], OF_FILES);
    if (CALL(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
    if (CALL(__NR_landlock_restrict_self, rules, 0, 0, 0, 0)) return -1;
    return (int)CALL(__NR_close, rules, 0, 0, 0, 0);
}

/* ---- becoming the program ---- */

static long execute(const char *path, char **words, char **environment) {
    long error = CALL(__NR_execve, path, words, environment, 0, 0);
    if (error == -ENOEXEC) { /* a script that does not say of what: sh's, as everywhere */
        words[0] = (char *)path;
        words[-1] = "/bin/sh"; /* in the place of "--" */
        CALL(__NR_execve, "/bin/sh", words - 1, environment, 0, 0);
    }
    return error;
}

/* Becomes what a folder of PATH has by that name; returns why not. */
static long search(char **words, char **environment) {
    static char path[4096];
    const char *folders = "";
    long error = -ENOENT, last;
    for (char **variable = environment; *variable; variable++)
        if ((*variable)[0] == 'P' && (*variable)[1] == 'A' && (*variable)[2] == 'T' &&
            (*variable)[3] == 'H' && (*variable)[4] == '=')
            folders = *variable + 5;
    while (*folders) {
        unsigned long n = 0, name = length(words[0]);
        for (; *folders && *folders != ':'; folders++)
            if (n < sizeof path) path[n++] = *folders;
        if (*folders) folders++;
        if (!n) path[n++] = '.';
        if (n + name + 2 > sizeof path) continue;
        path[n++] = '/';
        for (unsigned long i = 0; i <= name; i++) path[n + i] = words[0][i];
        last = execute(path, words, environment);
        if (last != -ENOENT && last != -ENOTDIR && last != -EACCES) return last;
        if (last == -EACCES) error = last;
    }
    return error;
}

static void become(char **words, char **environment) {
    int with_folder = 0;
    long error;
    for (const char *at = words[0]; *at; at++) with_folder |= *at == '/';
    const char *name = words[0];
    error = with_folder ? execute(name, words, environment) : search(words, environment);
    say("cannot run ");
    say(name);
    int missing = error == -ENOENT || error == -ENOTDIR;
    say(missing              ? ": no such file, or nothing that runs it\n"
        : error == -EACCES   ? ": it may not be executed\n"
        : error == -ENOEXEC  ? ": it is no program of this machine\n"
                             : ": the kernel does not start it\n");
    leave(missing ? NOT_FOUND : NOT_RUN);
}

/* Takes one step; returns how many words it was, and 0 for none. */
static int step(char **words, int left, char **readable, int *count) {
    const char *name = words[0], *value = left > 1 ? words[1] : "";
    int taken = 2, failed = 0;
    if (same(name, "idle")) taken = 1, failed = idle();
    else if (same(name, "small")) taken = 1, failed = small();
    else if (same(name, "wall")) taken = 1, failed = wall(readable, *count);
    else if (same(name, "refuse")) taken = 1, failed = refuse();
    else if (left < 2) return 0;
    else if (same(name, "join")) failed = join(value);
    else if (same(name, "limit")) failed = limit(value);
    else if (same(name, "streams")) failed = streams(value);
    else if (same(name, "close")) failed = (int)CALL(__NR_close, number(&value), 0, 0, 0, 0);
    else if (same(name, "read")) readable[(*count)++] = words[1];
    else if (same(name, "memory") && left > 2) taken = 3, failed = memory(value, words[2]);
    else if (same(name, "overlay") && left > 2) taken = 3, failed = overlay(value, words[2]);
    else if (same(name, "user") && left > 2) taken = 3, failed = user(value, words[2]);
    else return 0;
    if (failed) fail(name, taken > 1 ? words[1] : "");
    return taken;
}

__attribute__((used)) static void begin(long *stack) {
    int count = (int)*stack, read = 0, at = 1;
    char **words = (char **)(stack + 1);
    char **environment = words + count + 1;
    char **readable = words; /* the words that were read make room for those that are kept */
    while (at < count && !same(words[at], "--")) {
        int taken = step(words + at, count - at, readable, &read);
        if (!taken) fail(words[at], "(unknown, or without its value)");
        at += taken;
    }
    if (at + 1 >= count) fail("--", "(no program)");
    become(words + at + 1, environment);
}
