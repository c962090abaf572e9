/* One act over the pipes of a bot: its line is written, the answer awaited for a moment and read.
 *
 * What `referee.play.exchange` does call by call, in one: each return to the interpreter needs code
 * and data that have left the processor's caches while the bot ran. That module says what goes in
 * and what comes out; it is what runs where this is not compiled, and the same tests hold for both.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000 /* one file serves every Python from 3.11 on */
#include <Python.h>

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { READ_MOST = 4096, STDERR_MOST = 16384, STATE_MOST = 127, MS = 1000000 };

typedef struct {
    ssize_t written, got, talked;
    int64_t begin, sent, polled, came; /* when, in nanoseconds; 0: not at all */
    char answer[READ_MOST + 1], talk[STDERR_MOST];
} Exchange;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * (int64_t)1000000000 + time.tv_nsec;
}

/* Where an answer goes on behind these words, blanks before them; NULL where it says other ones. */
static const char *behind(const char *at, const char *words, size_t size) {
    if (at == NULL) return NULL;
    while (*at == ' ' || *at == '\t' || *at == '\r') at++;
    return strncmp(at, words, size) == 0 ? at + size : NULL;
}

/* The legal action that a line answers, if it says nothing else, in the way nearly all bots do;
 * borrowed. NULL for any other line, which is not to say that it is wrong. */
static PyObject *plain_action(const char *at, const char *end, const char *id, size_t id_size,
                              PyObject *legal) {
    at = behind(behind(behind(at, "{", 1), "\"id\"", 4), ":", 1);
    at = behind(at, "\"", 1);
    if (at == NULL || strncmp(at, id, id_size) != 0) return NULL;
    at += id_size;
    if (*at++ != '"') return NULL;
    at = behind(behind(behind(at, ",", 1), "\"action\"", 8), ":", 1);
    const char *action = behind(at, "\"", 1);
    const char *quote = action == NULL ? NULL : memchr(action, '"', (size_t)(end - action));
    if (quote == NULL || behind(behind(quote + 1, "}", 1), "\n", 1) != end) return NULL;
    Py_ssize_t count = PyTuple_Size(legal), size;
    for (Py_ssize_t at_one = 0; at_one < count; at_one++) {
        PyObject *one = PyTuple_GetItem(legal, at_one);
        const char *text = one == NULL ? NULL : PyUnicode_AsUTF8AndSize(one, &size);
        if (text == NULL) return NULL;
        if (size == quote - action && memcmp(text, action, (size_t)size) == 0) return one;
    }
    return NULL;
}

typedef struct {
    char *text;
    Py_ssize_t size;
} Word;

/* Stop a bot or let it go on; if its group is gone, the bot is, too. */
static void tell(int freezer, Word what) {
    if (freezer >= 0 && what.size && write(freezer, what.text, (size_t)what.size) < 0) errno = 0;
}

/* Whether a bot that was told to stop has, or is gone: each of its threads needs the core for that,
 * which is theirs until then or until so much time is over. */
static int stands_still(int state, const char *word, int64_t most_ns) {
    char says[STATE_MOST + 1];
    for (int64_t until = now() + most_ns;; sched_yield()) {
        ssize_t size = pread(state, says, STATE_MOST, 0);
        if (size < 0) return 1;
        says[size] = 0;
        if (strstr(says, word) != NULL) return 1;
        if (now() > until) return 0;
    }
}

/* Write, wait and read; -1 and an errno where the pipes themselves are wrong. */
static int make(Exchange *act, int to, int from, int errors, const char *line, ssize_t size,
                int64_t wait_ns, int freezer, Word thaw) {
    struct pollfd ends[2] = {{.fd = from, .events = POLLIN}, {.fd = errors, .events = POLLIN}};
    if (freezer < 0) act->begin = now();
    act->written = write(to, line, (size_t)size);
    if (act->written < 0) /* it closed its stdin; it may still answer */
        act->written = errno == EAGAIN || errno == EINTR ? 0 : size;
    if (freezer >= 0) act->begin = now(); /* it cannot have read it before */
    tell(freezer, thaw);
    act->sent = now();
    if (act->written != size) return 0;
    int ready = poll(ends, 2, (int)(wait_ns / MS));
    if (ready > 0 && !ends[0].revents) /* it writes to stderr first */
        ready = poll(ends, 1, (int)(wait_ns / MS));
    if (ready <= 0) return ready == 0 || errno == EINTR ? 0 : -1; /* the longer wait goes on */
    act->polled = now();
    if (ends[1].revents & POLLIN) act->talked = read(errors, act->talk, STDERR_MOST);
    act->got = read(from, act->answer, READ_MOST);
    if (act->got < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1; /* poll was mistaken */
    act->came = now();
    return 0;
}

static PyObject *exchange(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    (void)module;
    if (count != 12) return PyErr_Format(PyExc_TypeError, "exchange takes 12 arguments");
    int to = (int)PyLong_AsLong(args[0]), from = (int)PyLong_AsLong(args[1]);
    int errors = (int)PyLong_AsLong(args[2]), freezer = (int)PyLong_AsLong(args[7]);
    int64_t wait_ns = (int64_t)PyLong_AsLong(args[6]) * MS;
    char *line;
    Py_ssize_t size, id_size;
    if (PyErr_Occurred() || PyBytes_AsStringAndSize(args[3], &line, &size) < 0) return NULL;
    const char *id = PyUnicode_AsUTF8AndSize(args[4], &id_size);
    Word thaw, freeze, stopped;
    int progress = (int)PyLong_AsLong(args[10]);
    if (id == NULL || PyBytes_AsStringAndSize(args[8], &thaw.text, &thaw.size) < 0 ||
        PyBytes_AsStringAndSize(args[9], &freeze.text, &freeze.size) < 0 ||
        PyBytes_AsStringAndSize(args[11], &stopped.text, &stopped.size) < 0)
        return NULL;

    Exchange act = {.got = -1};
    PyThreadState *state = PyEval_SaveThread();
    int wrong = make(&act, to, from, errors, line, size, wait_ns, freezer, thaw), error = errno;
    PyEval_RestoreThread(state);
    if (PyErr_CheckSignals() < 0) return NULL;
    if (wrong < 0) {
        errno = error;
        return PyErr_SetFromErrno(PyExc_OSError);
    }

    PyObject *action = NULL;
    if (act.got > 0) {
        act.answer[act.got] = 0;
        action = plain_action(act.answer, act.answer + act.got, id, (size_t)id_size, args[5]);
        if (PyErr_Occurred()) return NULL;
        if (action != NULL && freezer >= 0 && freeze.size) {
            tell(freezer, freeze);
            state = PyEval_SaveThread();
            int still = stands_still(progress, stopped.text, wait_ns);
            PyEval_RestoreThread(state);
            if (!still) action = NULL;
        }
    }
    int64_t held = act.sent - act.begin + (act.came ? act.came - act.polled : 0);
    return Py_BuildValue("(Lny#LLLy#O)", (long long)act.begin, act.written, act.answer,
                         act.got > 0 ? act.got : 0, (act.sent - act.begin) / 1000, held / 1000,
                         act.came ? (act.came - act.begin) / 1000 : 0, act.talk,
                         act.talked > 0 ? act.talked : 0, action == NULL ? Py_None : action);
}

static PyMethodDef methods[] = {
    {"exchange", (PyCFunction)(void (*)(void))exchange, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT, .m_name = "exchange", .m_methods = methods};

PyMODINIT_FUNC PyInit_exchange(void) { return PyModuleDef_Init(&module); }
