"""What is taken out of captured content: values of secret-sounding fields, and secrets that show by their shape.

Field names are read word by word, so that `accessToken`, `access-token` and `ACCESS_TOKEN` are one name and `monkey`,
`author` and `input_tokens` are none. Secrets in running text without a known shape cannot be found.
"""

import json
import re
from functools import lru_cache
from itertools import pairwise
from typing import Any

REDACTED = "[redacted]"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")

_SECRET_WORDS = _words(
    "password passwords passwd pwd passphrase passcode secret secrets credential credentials cookie cookies jwt dsn "
    "csrf xsrf cvv cvc ssn bearer otp totp mnemonic phpsessid"
)
"""Secret wherever they stand in a name, unless the name measures or describes something."""

_SECRET_ENDINGS = _words("auth authorization session signature token pass creds")
"""Secret as a name's last word, unless `_HARMLESS_BEFORE` stands before it."""

_HARMLESS_BEFORE = {
    "token": _words("eos bos pad unk mask sep cls stop special next per first last end start start_of end_of number"),
    "pass": _words("first second third last forward backward single multi two one num by per"),
    "signature": _words("function method type tool call class api"),
    "session": _words("per"),
    "auth": _words("requires require needs has no"),
}

_OWNERS_OF_KEYS = _words(
    "api access secret private signing signature encryption decryption ssh auth master service shared account license "
    "deploy admin client root webhook storage hmac rsa pgp gpg ssl tls session app application subscription"
)

_STORES = _words("database db redis mongo mongodb postgres postgresql mysql amqp broker connection conn")
_SECRET_PAIRS = frozenset(
    {
        *(("token", suffix) for suffix in ("value", "secret", "string", "hash")),
        *((kind, "tokens") for kind in ("access", "refresh", "auth", "bearer", "id", "api", "session", "security")),
        *((kind, word) for kind in ("card", "cc") for word in ("number", "no", "num", "pin")),
        *((kind, word) for kind in _STORES for word in ("url", "uri", "string", "str")),
        ("credit", "card"), ("debit", "card"), ("social", "security"), ("user", "pin"), ("pin", "code"),
        ("seed", "phrase"), ("recovery", "phrase"), ("recovery", "code"), ("recovery", "codes"), ("backup", "codes"),
        ("authorization", "header"), ("auth", "header"), ("session", "cookie"), ("connect", "sid"),
    }
)  # fmt: skip

_RUN_TOGETHER = re.compile(
    r"passw(or)?d|passphrase|secret(?!ar|ion|ive)|credential"
    r"|(access|auth|refresh|bearer|csrf|xsrf|session|security|api)token$"
    r"|(api|access|private|signing|encryption|secret)keys?$|^sessionid$|authorization$|^creditcard|^cardnumber$|pwd$"
)
"""Words that are written as one: `apikey`, `mypassword`, `clientsecret`."""

_DESCRIBING = _words(
    "count counts length size limit policy type types style name names algorithm expiry expires age strength "
    "required enabled usage url endpoint method methods format version ids status present"
)
"""Last words that make a name one of a fact about a secret rather than of the secret."""

_SHAPES = tuple(
    (hints.split("|"), re.compile(pattern, re.DOTALL))
    for hints, pattern in (
        ("-----BEGIN ", r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"),
        ("eyJ", r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"),  # a JSON web token
        ("AKIA|ASIA", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),  # Amazon
        ("sk-|sk_|pk_|rk_|pk-|rk-", r"\b[spr]k[-_](?:[\w-]+[-_])?[A-Za-z0-9_-]{16,}"),  # OpenAI, Anthropic, Stripe
        ("lsv", r"\blsv\d_[ps][tk]_[\w-]{16,}"),  # LangSmith
        ("gho_|ghp_|ghs_|ghu_|ghr_", r"\bgh[opsur]_[A-Za-z0-9]{20,}"),
        ("github_pat_|glpat-", r"\b(?:github_pat_|glpat-)[\w-]{16,}"),
        ("xox", r"\bxox[abeoprs]-[\w-]{10,}"),
        ("AIza|ya29.", r"\b(?:AIza[\w-]{30,}|ya29\.[\w-]{20,})"),
        ("hf_|npm_|gsk_", r"\b(?:hf|npm|gsk)_[A-Za-z0-9]{20,}"),
        ("pypi-|xai-", r"\b(?:pypi|xai)-[\w-]{20,}"),
        ("SG.", r"\bSG\.[\w-]{16,}\.[\w-]{16,}"),
        ("er_", r"\ber_(?:gw_|tr_)?[\w-]{40,}"),  # our own
        ("earer |EARER ", r"(?<=\b[Bb]earer )[\w.~+/-]{8,}=*|(?<=\bBEARER )[\w.~+/-]{8,}=*"),
        ("asic |ASIC ", r"(?<=\b[Bb]asic )[A-Za-z0-9+/]{8,}=*(?![\w ])|(?<=\bBASIC )[A-Za-z0-9+/]{8,}=*"),
        ("AccountKey=", r"(?<=\bAccountKey=)[A-Za-z0-9+/=]{20,}"),
        ("://", r"(?<=://)[^\s/@:\"']{0,256}:[^\s/@\"']{1,256}(?=@)"),  # a password in a URL
    )
)
"""Secrets that show by their shape: what a text must hold for it to be worth a look, and the shape."""

_HINTS = {
    mark: tuple(hint for hints, _ in _SHAPES for hint in hints if next((m for m in "_-" if m in hint), "") == mark)
    for mark in ("_", "-", "")
}
"""The hints by a character that most texts have not, so that most texts are looked through for few."""

_NAMES = re.compile(r'"([^"\\]{1,256}+(?:\\u[0-9a-f]{4}[^"\\]{0,256}+)*+)\\*+"\s*+:')
"""Names of fields in JSON, and in JSON within the texts of JSON."""


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether a field of this name is taken to hold a secret."""
    words = [word.lower() for word in _WORD.findall(name[:256])]
    if not words:
        return False
    if words[-1] in _DESCRIBING and words[-2:] != ["database", "url"] and tuple(words[-2:]) not in _SECRET_PAIRS:
        return False
    before = words[-2] if len(words) > 1 else ""
    if words[-1] in _SECRET_ENDINGS and before not in _HARMLESS_BEFORE.get(words[-1], ()):
        return True
    pairs = pairwise(words)
    return any(word in _SECRET_WORDS or _RUN_TOGETHER.search(word) for word in words) or any(
        pair in _SECRET_PAIRS or (pair[1] in ("key", "keys") and pair[0] in _OWNERS_OF_KEYS) for pair in pairs
    )


def may_hold_secret(text: str) -> bool:
    """Whether a JSON text is worth a closer look; False is certain."""
    for mark, hints in _HINTS.items():
        if mark in text:
            for hint in hints:
                if hint in text:
                    return True
    return ('":' in text or '" :' in text) and any(map(is_secret_name, _NAMES.findall(text)))


def redact(value: Any) -> Any:
    """A JSON value without its secrets; those in texts that are JSON themselves are found too."""
    if isinstance(value, dict):
        return {name: _field(name, item) for name, item in value.items()}
    if isinstance(value, list):
        return [redact(item) for item in value]
    if isinstance(value, str):
        return redact_text(value)
    return value


def redact_text(text: str) -> str:
    """A text without the secrets that show by their shape, or by a field's name where the text is JSON."""
    if text.lstrip()[:1] in ("{", "[") and may_hold_secret(text):
        try:
            inner = json.loads(text)
        except (ValueError, RecursionError):
            return _without_shapes(text)
        cleaned = redact(inner)
        return text if cleaned == inner else json.dumps(cleaned)
    return _without_shapes(text)


def _without_shapes(text: str) -> str:
    for hints, shape in _SHAPES:
        if any(hint in text for hint in hints):
            text = shape.sub(REDACTED, text)
    return text


def _field(name: str, value: Any) -> Any:
    """A field's value; whether there is a secret (true, false, null) is none."""
    if value is None or isinstance(value, bool) or not is_secret_name(name):
        return redact(value)
    return REDACTED
