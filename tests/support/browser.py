"""A real browser for tests: Debian's Chromium, driven by Playwright.

What it showed can be looked at: `REFEREE_SCREENSHOTS=FOLDER pytest ...` keeps pictures there.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from axe_playwright_python.sync_playwright import Axe
from msgspec import Struct
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from support.sandboxes import need

WIDE: Final = ViewportSize(width=1200, height=900)
PHONE: Final = ViewportSize(width=390, height=844)

_RULES: Final = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
    "preload": False,  # it puts styles of its own into a page, which a site's policy refuses
}


class Looked(Struct):
    """A page in a browser, and what its console has said that is no good."""

    page: Page
    troubles: list[str]

    def shot(self, name: str) -> None:
        """Keep a picture of it, whole, if somebody wants pictures."""
        folder = os.environ.get("REFEREE_SCREENSHOTS")
        if folder:
            self.page.screenshot(path=f"{folder}/{name}.png", full_page=True)

    def faults(self) -> list[str]:
        """What axe-core finds against WCAG AA, a line each."""
        found = Axe().run(self.page, options=_RULES)
        return [
            f"{one['id']}: {node['html'][:120]}: {node.get('failureSummary', '')[:200]}"
            for one in found.response["violations"]
            for node in one["nodes"]
        ]


@contextmanager
def browser() -> Iterator[Browser]:
    """Chromium, until the block is left."""
    need("chromium")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )


@contextmanager
def looking(
    chromium: Browser,
    url: str,
    size: ViewportSize = WIDE,
    *,
    dark: bool = False,
    script: bool = True,
) -> Iterator[Looked]:
    """A page that was opened by its address.

    Args:
        chromium: opens it.
        url: the address.
        size: of the window.
        dark: whether its reader likes it dark.
        script: whether JavaScript is on.
    """
    context = chromium.new_context(
        viewport=size, color_scheme="dark" if dark else "light", java_script_enabled=script
    )
    page = context.new_page()
    troubles: list[str] = []
    page.on(
        "console",
        lambda said: troubles.append(said.text) if said.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto(url)
    try:
        yield Looked(page, troubles)
    finally:
        context.close()
