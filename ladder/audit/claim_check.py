"""Compares a ladder with what was said of it earlier: by others, and in its own log of heads."""

from collections.abc import Sequence
from pathlib import Path

from ladder.audit.claims import Claim
from ladder.audit.compared import Compared
from ladder.audit.findings import AuditFindings
from ladder.core.facts import FIRST_HASH, Fact, Submission, digest_of
from ladder.files import signed_head
from ladder.files.signed_head import misfit
from ladder.store.head_log import logged
from referee.errors import RefereeError


def own_claims(files: Path, findings: AuditFindings) -> list[Claim]:
    """Read the heads of a ladder's own log.

    Args:
        files: the folder of the ladder's files.
        findings: is told of lines that are damaged.
    """
    found = []
    try:
        for source, line in logged(files):
            try:
                signed = signed_head.from_json(line)
                signed_head.check(signed)
                found.append(Claim(source=source, head=signed.head, signed=True))
            except RefereeError:
                told = "it is no signed head as it was written: it was changed or forged"
                findings.add(f"head {source!r}", told)
    except OSError as error:
        findings.add(f"head {str(error.filename)!r}", error.strerror or str(error))
    except RefereeError as error:
        findings.add("heads", str(error))
    return found


class ClaimCheck:
    """Compares a ladder with what was said of it, while its facts go by."""

    def __init__(
        self, given: Sequence[Claim], own: Sequence[Claim], findings: AuditFindings
    ) -> None:
        """Wait for the first fact.

        Args:
            given: what a person named.
            own: what the ladder's own log says.
            findings: is told of what does not fit.
        """
        self._given = given
        self._logged = own
        self._findings = findings
        every = (*given, *own)
        self._hashes: dict[int, str | None] = {claim.head.facts: None for claim in every}
        self._hashes[0] = FIRST_HASH
        receipts_given = (claim.receipt for claim in every if claim.receipt is not None)
        self._facts: dict[int, Fact | None] = {one.fact: None for one in receipts_given}

    def see(self, seq: int, digest: str, fact: Fact | None) -> None:
        """Take in the next fact.

        Args:
            seq: its number.
            digest: its hash in the chain, as it is written.
            fact: the fact; None if it cannot be read.
        """
        if seq in self._hashes:
            self._hashes[seq] = digest
        if seq in self._facts:
            self._facts[seq] = fact

    def compare(self, ladder: str) -> Compared:
        """Tell of all that does not fit, once all facts went by; return what fits.

        Args:
            ladder: the ladder's id.
        """
        given, own = (self._fitting(some, ladder) for some in (self._given, self._logged))
        return Compared(
            given=len(given),
            signed=sum(claim.signed for claim in given),
            logged=len({claim.head for claim in own}),
            newest_given=max((claim.head.facts for claim in given), default=0),
            newest_logged=max((claim.head.facts for claim in own), default=0),
        )

    def _fitting(self, claims: Sequence[Claim], ladder: str) -> list[Claim]:
        """Return those that fit, and tell of the first that does not."""
        troubles = [(claim, self._trouble(claim, ladder)) for claim in claims]
        unfit = [(claim, trouble) for claim, trouble in troubles if trouble is not None]
        if unfit:
            claim, trouble = min(unfit, key=lambda one: one[0].head.facts)
            more = f"; later ones that do not fit, too: {len(unfit) - 1}"
            told = f"{trouble}{more if len(unfit) > 1 else ''}"
            self._findings.add(f"head {claim.source!r}", told)
        return [claim for claim, trouble in troubles if trouble is None]

    def _trouble(self, claim: Claim, ladder: str) -> str | None:
        """Return why the ladder is not what was said of it; None if it is."""
        trouble, receipt = misfit(claim.head, ladder, self._hashes.get), claim.receipt
        if trouble is None and receipt and not _is(self._facts[receipt.fact], receipt.submission):
            one = receipt.submission
            return (
                f"fact {receipt.fact} is not the submission of {one.name} v{one.version} by "
                f"{one.author} that the receipt is of"
            )
        return trouble


def _is(fact: Fact | None, submission: Submission) -> bool:
    """Whether a fact is this submission, though its names may have been erased since."""
    return isinstance(fact, Submission) and digest_of(fact) == digest_of(submission)
