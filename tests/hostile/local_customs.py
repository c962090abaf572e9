# story: writes numbers and times as the machine's owner has them
# row: protocol: locale and time zone
# expect: plays
import locale
import os
import time

from hostile.honest import spy


def attack() -> str:
    locale.setlocale(locale.LC_ALL, "")
    if locale.localeconv()["decimal_point"] != "." or locale.getlocale()[1] != "UTF-8":
        return "a locale"
    return "a time zone" if "TZ" in os.environ or time.timezone else ""


spy(attack, only_in_a_sandbox=False)
