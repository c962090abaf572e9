/* Plays the first legal action; a hostile bot includes this and says only its misdeed.
 * Every process ends by itself after LIFE_S seconds, whatever becomes of the referee. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LIFE_S = 50 };

static char line[128 * 1024];

/* What stands behind `key` in the line, up to the next quotation mark. */
static const char *field(const char *key)
{
    static char found[256];
    const char *at = strstr(line, key);
    size_t length = 0;
    if (at != NULL) {
        at += strlen(key);
        length = strcspn(at, "\"");
        memcpy(found, at, length < sizeof found ? length : 0);
    }
    found[length < sizeof found ? length : 0] = '\0';
    return found;
}

static void answer_with(const char *action)
{
    char out[512], id[32];
    snprintf(id, sizeof id, "%s", field("\"id\":\""));
    int length = snprintf(out, sizeof out, "{\"id\":\"%s\",\"action\":\"%s\"}\n", id, action);
    if (write(1, out, (size_t)length) != length)
        _exit(1);
}

static void answer(void)
{
    char action[256];
    snprintf(action, sizeof action, "%s", field("\"legal\":[\""));
    answer_with(action);
}

/* Whether a sandbox is around us: what could harm a machine is done nowhere else. */
static int sandboxed(void)
{
    char here[16];
    return getcwd(here, sizeof here) != NULL && strcmp(here, "/bot") == 0;
}

/* Plays until `end`; what is given answers each question. */
static int play_each(void (*act)(void))
{
    alarm(LIFE_S);
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strncmp(line, "{\"type\":\"hello\"", 15) == 0) {
            puts("{\"type\":\"ready\",\"protocol\":1,\"name\":\"hostile\"}");
            fflush(stdout);
        } else if (strncmp(line, "{\"type\":\"act\"", 13) == 0) {
            act();
        } else if (strncmp(line, "{\"type\":\"end\"", 13) == 0) {
            break;
        }
    }
    return 0;
}

static void (*misdeed_at_third)(void);

static void count_acts(void)
{
    static int acts = 0;
    if (++acts == 3)
        misdeed_at_third();
    else
        answer();
}

/* Plays until `end`; the misdeed takes the place of the third answer. */
static int play(void (*misdeed)(void))
{
    misdeed_at_third = misdeed;
    return play_each(count_acts);
}
