"""Recruited people: who they are by their recruiter's link or signed token, and how each is sent back."""

import hmac
import json
import os
import threading
import time
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from typing import Any, Literal
from urllib.error import URLError
from urllib.parse import quote, urlencode
from urllib.request import urlopen

from subitize.annotation.plan import Recruiter, StudyPlan
from subitize.errors import BadValueError, StorageError

DETAILS: Mapping[Recruiter, tuple[str, ...]] = {
    "prolific": ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"),
    "mturk": ("workerId", "hitId", "assignmentId"),
    "cloudresearch": ("participantId", "assignmentId", "projectId"),
}
"""What recruiters add to the address of each participant; the first identifies the person."""
Ending = Literal["done", "failed", "screened-out", "no-consent"]
"""How taking part ended: all answered, training not passed, nothing needed any more, consent not given."""
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
_PROLIFIC_KEYS = "https://api.prolific.com/.well-known/study/jwks.json"
_PROLIFIC_DONE = "https://app.prolific.com/submissions/complete?cc={code}"
_MTURK_FRAMES = ("https://worker.mturk.com", "https://workersandbox.mturk.com")
_MTURK_SUBMITS = ("https://www.mturk.com", "https://workersandbox.mturk.com")
_LARGEST_TOKEN, _LARGEST_KEYS_BYTES = 8_000, 1_000_000
_KEPT_SECONDS, _RETRY_SECONDS, _LEEWAY_SECONDS = 24 * 3600, 60.0, 60
_SMALLEST_KEY_BITS = 2048
# What precedes a SHA-256 digest in an RSA signature by PKCS #1 v1.5 (RFC 8017, section 9.2).
_SHA_256 = bytes.fromhex("3031300d060960864801650304020105000420")


class BadTokenError(BadValueError):
    """A participant's token that is missing, forged, expired or made for somebody else."""


class ProlificKeys:
    """Prolific's published keys, kept for a day; $SUBITIZE_PROLIFIC_KEYS names another address of them."""

    def __init__(self) -> None:
        self._keys: Mapping[str, tuple[int, int]] = {}
        self._read_at, self._lock = float("-inf"), threading.Lock()

    def read_token(self, token: str, audience: str) -> dict[str, str]:
        """Check a token's signature, expiry and audience; return who it is about."""
        try:
            header, body, signature = (_decode(part) for part in token[:_LARGEST_TOKEN].split("."))
            kid, claims = str(json.loads(header)["kid"]), json.loads(body)
            is_expected = json.loads(header)["alg"] == "RS256" and isinstance(claims, dict)
        except (ValueError, KeyError, TypeError, RecursionError):
            raise BadTokenError("this link has no token of Prolific's; open the study from Prolific") from None
        signed = token.rpartition(".")[0].encode()
        key = self._find(kid)
        if not is_expected or key is None or not _is_signed(signed, signature, *key):
            raise BadTokenError("the token in this link was not signed by Prolific; open the study from Prolific")
        return _read_claims(claims, audience)

    def _find(self, kid: str) -> tuple[int, int] | None:
        """Find a key; keys that are old, or lack this one, are fetched again, but not all the time."""
        with self._lock:
            age = time.monotonic() - self._read_at
            if age > _KEPT_SECONDS or (kid not in self._keys and age > _RETRY_SECONDS):
                self._keys, self._read_at = _fetch_keys(), time.monotonic()
            return self._keys.get(kid)


def _fetch_keys() -> dict[str, tuple[int, int]]:
    url = os.environ.get("SUBITIZE_PROLIFIC_KEYS", _PROLIFIC_KEYS)
    try:
        with urlopen(url, timeout=10) as reply:
            listed = json.loads(reply.read(_LARGEST_KEYS_BYTES))["keys"]
        found = {one["kid"]: tuple(int.from_bytes(_decode(one[part])) for part in "ne") for one in listed}
    except (URLError, OSError, ValueError, KeyError, TypeError) as error:
        raise StorageError(f"the keys at {url} cannot be read: {error!r:.100}; try again in a minute") from None
    return {str(kid): (n, e) for kid, (n, e) in found.items() if n.bit_length() >= _SMALLEST_KEY_BITS}


def _is_signed(message: bytes, signature: bytes, n: int, e: int) -> bool:
    """Verify an RS256 signature: the one right encoding is made and compared as a whole, nothing is parsed."""
    size = (n.bit_length() + 7) // 8
    digest = _SHA_256 + sha256(message).digest()
    expected = b"\0\1" + b"\xff" * (size - len(digest) - 3) + b"\0" + digest
    number = int.from_bytes(signature)
    is_possible = len(signature) == size and number < n
    return is_possible and hmac.compare_digest(pow(number, e, n).to_bytes(size), expected)


def _read_claims(claims: Mapping[str, Any], audience: str) -> dict[str, str]:
    expires, audiences, told = claims.get("exp"), claims.get("aud"), claims.get("prolific")
    if not (isinstance(expires, int | float) and expires > time.time() - _LEEWAY_SECONDS):
        raise BadTokenError("the token in this link is too old; open the study from Prolific again")
    if audience not in (audiences if isinstance(audiences, list) else [audiences]):
        raise BadTokenError("the token in this link is for another study; open this one from Prolific")
    details = {name: str(told[name])[:200] for name in DETAILS["prolific"] if isinstance(told, dict) and name in told}
    if not details.get(DETAILS["prolific"][0]):
        raise BadTokenError("the token in this link names nobody; add PROLIFIC_PID to the study's address in Prolific")
    return details


def _decode(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))


def make_link(plan: StudyPlan, address: str, token: str) -> str:
    """Make the link for everybody, in the form that the recruiter takes."""
    if plan.recruiter == "mturk":
        return f"{address}/mturk/{token}"
    details = "&".join(f"{name}={{{{%{name}%}}}}" for name in DETAILS["prolific"])  # Prolific fills in the braces
    return f"{address}/study/{token}{f'?{details}' if plan.recruiter == 'prolific' else ''}"


def way_back(plan: StudyPlan, ending: Ending) -> str | None:
    """Return the recruiter's address for an ending; CloudResearch pays for none but those who have finished."""
    if plan.recruiter == "cloudresearch":
        return (plan.done_url if ending == "done" else plan.partial_url) or None
    codes = {
        "done": plan.completion_code,
        "failed": plan.failure_code,
        "screened-out": plan.screened_out_code,
        "no-consent": plan.no_consent_code,
    }
    code = codes[ending] if plan.recruiter == "prolific" else None
    return code and _PROLIFIC_DONE.format(code=quote(code, safe=""))


def check_recruiting(plan: StudyPlan) -> None:
    """Raise an error for options that do not go together."""
    for name, url in (("done_url", plan.done_url), ("partial_url", plan.partial_url)):
        if url and not url.startswith("https://"):
            raise BadValueError(f"`{name}` {url!r:.60}: should begin with https://")
        if url and plan.recruiter != "cloudresearch":
            raise BadValueError(f"`{name}`: only CloudResearch takes people back by it; say `recruiter` cloudresearch")
    if plan.prolific_audience and plan.recruiter != "prolific":
        raise BadValueError(f"`prolific_audience`: links of `recruiter` {plan.recruiter} are not signed")


_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>subitize</title>
<link rel="stylesheet" href="{root}/static/page.css">
<main class="problem">{content}</main>
</html>
"""


def make_code_page(root: str, details: Mapping[str, str], *, was_wrong: bool) -> str:
    """Make the page that asks somebody in another browser for the code that the first one shows."""
    hidden = "".join(f'<input type="hidden" name="{name}" value="{escape(text)}">' for name, text in details.items())
    problem = "<p role=alert>This is not the code.</p>" if was_wrong else ""
    return _PAGE.format(
        root=root,
        content=f"""<h1>Is it you?</h1>
<p>Somebody with your ID has begun this study in another browser. There, Help shows a code: type it here. Without it,
ask whoever sent you here.</p>{problem}
<form><label for="code">Code</label> <input type="text" id="code" name="code" required maxlength="40">{hidden}
<button type="submit">Go on</button></form>""",
    )


def make_frame(root: str, token: str, query: Mapping[str, str], told: list[str]) -> tuple[str, dict[str, str]]:
    """Make the page that MTurk shows in a frame, and its headers: instructions, a link, and a field for the code."""
    assignment, host = query.get("assignmentId", PREVIEW), query.get("turkSubmitTo", "").rstrip("/")
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in told)
    is_preview = assignment == PREVIEW or host not in _MTURK_SUBMITS
    details = {name: query[name][:200] for name in DETAILS["mturk"] if query.get(name)}
    form = f"""<p><a href="{root}/study/{token}?{escape(urlencode(details))}" target="_blank" rel="noopener">Open the
study in a tab of its own</a>; it ends with a code. Type it here:</p>
<form method="post" action="{host}/mturk/externalSubmit"><label for="code">Code</label>
<input type="text" id="code" name="code" required maxlength="40">
<input type="hidden" name="assignmentId" value="{escape(assignment)}">
<button type="submit">Submit</button></form>"""
    content = f"<h1>How to answer</h1>{paragraphs}" + ("<p>Accept the task to begin.</p>" if is_preview else form)
    policy = (
        "default-src 'none'; style-src 'self'; base-uri 'none'; "
        f"form-action {' '.join(_MTURK_SUBMITS)}; frame-ancestors {' '.join(_MTURK_FRAMES)}"
    )
    return _PAGE.format(root=root, content=content), {"Content-Security-Policy": policy}
