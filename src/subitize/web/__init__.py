"""What web apps share: accounts and sessions, headers and bounds, pages for errors, page style, hosting; tokens."""

import hashlib
import hmac


def sign(secret: str, *parts: object) -> str:
    """Make a token that requires the secret."""
    text = "\0".join(map(str, parts))
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()[:32]


def is_same(given: str, secret: str) -> bool:
    """Compare tokens in constant time."""
    return hmac.compare_digest(given.encode(), secret.encode())
