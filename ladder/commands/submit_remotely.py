"""`referee submit --to URL` and `referee status`: bots that are handed in on a ladder's site."""

import sys
import time
from collections.abc import Callable
from contextlib import closing
from typing import Annotated, Final

import typer

from ladder.remote.site_client import SiteClient, token_of
from ladder.show.submit_json import AcceptedJson, RefusedJson, SubmitJson
from ladder.show.upload_json import UploadJson, UploadState
from ladder.store.receipts import as_json as receipt_text
from ladder.submissions.pack import packed
from referee.bots.settings import Settings, read_settings
from referee.commands.shared import Json
from referee.errors import RefereeError
from referee.terminal.console import busy, console
from referee.terminal.json_output import json_text
from referee.text import in_bytes, printable

AGAIN_S: Final = 1.0
"""How often a site is asked how far an upload is."""


def submit_to(url: str, paths: list[str], name: str | None, *, as_json: bool) -> None:
    """Hand in bots on a site, one after the other, and wait for what becomes of each.

    Args:
        url: of the site.
        paths: as `referee submit` takes them.
        name: what tables are to call it, if that was said.
        as_json: whether what became of them is printed as JSON.

    Raises:
        RefereeError: the site does not take them, or there is no token.
        HostError: the site cannot be reached.
    """
    settings = read_settings()
    taken: list[AcceptedJson] = []
    refused: list[RefusedJson] = []
    waiting = busy(console(stderr=True), f"asking {url} ...")
    try:
        with closing(SiteClient(url, token_of())) as site, waiting as say:
            site.me()  # a wrong token is no refusal of a bot
            for path in paths:
                result = _result(site, path, name, settings, say)
                if isinstance(result, AcceptedJson):
                    taken.append(result)
                else:
                    refused.append(result)
    finally:  # whatever stops us: what is done is told
        if as_json and (taken or refused):
            print(json_text(SubmitJson(url, tuple(taken), tuple(refused))))
        else:
            _print(url, taken, refused)
    raise typer.Exit(int(bool(refused)))


def _result(
    site: SiteClient, path: str, name: str | None, settings: Settings, say: Callable[[str], None]
) -> AcceptedJson | RefusedJson:
    """Hand in a bot, and return what became of it; for arguments see `submit_to`.

    Raises:
        HostError: the site cannot be reached.
    """
    try:
        upload = _followed(site, _sent(site, path, name, settings, say), say)
    except RefereeError as error:
        return RefusedJson(path, str(error))
    return upload.accepted or RefusedJson(path, upload.why or "it was not tried")


def _sent(
    site: SiteClient, path: str, name: str | None, settings: Settings, say: Callable[[str], None]
) -> UploadJson:
    """Send a bot; for arguments see `submit_to`."""
    with packed(path, settings) as bot:
        whole = in_bytes(bot.file.stat().st_size)

        def sent(size: int) -> None:
            say(f"sent {in_bytes(size)} of {whole}")

        return site.hand_in(bot.file, bot.called, name or bot.name, sent)


def _followed(site: SiteClient, upload: UploadJson, say: Callable[[str], None]) -> UploadJson:
    """Return an upload once its trial is over."""
    talk, last = console(stderr=True), ""
    while upload.state in (UploadState.WAITING, UploadState.TRYING):
        told = f"{upload.file}: {_state(upload)}"
        say(told)
        if told != last and not talk.is_terminal:
            talk.print(told, style="dim")
        last = told
        time.sleep(AGAIN_S)
        upload = site.upload(upload.id)
    return upload


def _state(upload: UploadJson) -> str:
    match upload.state:
        case UploadState.WAITING:
            return f"waits for its trial, number {upload.position} of the queue"
        case UploadState.TRYING:
            return (
                f"is being tried: {printable(upload.stage)}" if upload.stage else "is being tried"
            )
        case UploadState.ACCEPTED:
            return "taken in"
        case UploadState.REFUSED:
            return "refused"


def _print(url: str, taken: list[AcceptedJson], refused: list[RefusedJson]) -> None:
    for one in taken:
        unchanged = "" if one.new else " (unchanged)"
        print(f"{one.bot} v{one.version} by {one.author}: #{one.entrant}{unchanged}")
        print(f"   hash: {one.hash}")
        if one.left_out:
            print(f"   left out, as no part of a bot: {', '.join(one.left_out)}")
        print(f"   receipt: {receipt_text(one.receipt)}")
        print(f"   see it: {url.rstrip('/')}/bots/{one.entrant}")
    for other in refused:
        print("referee:", printable(f"refused: {other.why}", keep="\n"), file=sys.stderr)


def status(
    url: Annotated[str, typer.Option("--to", metavar="URL", help="The ladder's site.")],
    as_json: Json = False,
) -> None:
    """Tells what became of the bots that you have handed in on a ladder's site.

    REFEREE_TOKEN has the token of your invitation.
    """
    with closing(SiteClient(url, token_of())) as site:
        me = site.me()
    if as_json:
        print(json_text(me, indent=None))
        return
    if not me.uploads:
        print(f"{me.author} has handed in nothing yet: referee submit BOT --to {url}")
    for upload in me.uploads:
        print(f"{printable(upload.file)}: {_state(upload)}")
        if upload.accepted is not None:
            taken = upload.accepted
            print(f"   {taken.bot} v{taken.version}: {url.rstrip('/')}/bots/{taken.entrant}")
        if upload.why:
            print("   " + printable(upload.why, keep="\n").replace("\n", "\n   "))


def logs(
    bot: Annotated[
        str | None, typer.Argument(metavar="[BOT]", help="Only this bot of yours, by its name.")
    ] = None,
    url: Annotated[str, typer.Option("--to", metavar="URL", help="The ladder's site.")] = "",
    match: Annotated[
        str | None, typer.Option(metavar="ID", help="Only this match, by its number.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Prints what your bots wrote to stderr in their last matches on a ladder's site.

    REFEREE_TOKEN has the token of your invitation.
    """
    if not url:
        raise RefereeError("say --to URL: the ladder's site")
    with closing(SiteClient(url, token_of())) as site:
        found = site.logs(bot, match)
    if as_json:
        print(json_text(found, indent=None))
        return
    if not found.logs:
        print("nothing was written to stderr in these matches")
    for log in found.logs:
        print(f"match {log.match}, {log.game}: {printable(log.bot)}")
        for line in log.lines:
            where = f"deal {line.leg}.{line.deal}" if line.deal else f"end of leg {line.leg}"
            for text in line.text.splitlines():
                print(f"   {where} act {line.act} | {printable(text)}")
    if found.is_cut:
        console(stderr=True).print("there is more: ask for one match with --match", style="dim")


def check_remote(author: str | None, partners: list[str], games: list[str]) -> None:
    """Refuse what a site does not take.

    Raises:
        RefereeError: naming the option.
    """
    for option, value in (("--author", author), ("--partner", partners), ("--game", games)):
        if value:
            raise RefereeError(f"{option} does not go with --to: your invitation says who you are")
