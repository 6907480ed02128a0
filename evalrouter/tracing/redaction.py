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

_SHAPES = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"  # a JSON web token
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"  # Amazon
    r"|\b(?:sk|pk|rk|ls[vs]\d_[ps]t)[-_](?:[\w-]+[-_])?[A-Za-z0-9_-]{16,}"  # OpenAI, Anthropic, Stripe, LangSmith
    r"|\bgh[opsur]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bxox[abeoprs]-[\w-]{10,}|\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{30,}"
    r"|\bpypi-[\w-]{20,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bgsk_[A-Za-z0-9]{20,}|\bxai-[A-Za-z0-9]{20,}"
    r"|\ber_(?:gw_|tr_)?[\w-]{40,}"  # our own
    r"|(?<=\bBearer )[\w.~+/-]{8,}=*|(?<=\bBasic )[A-Za-z0-9+/]{8,}=*"
    r"|(?<=\bAccountKey=)[A-Za-z0-9+/=]{20,}"
    r"|(?<=://)[^\s/@:\"']{0,256}:[^\s/@\"']{1,256}(?=@)",  # a password in a URL
    re.DOTALL | re.IGNORECASE,
)

_HINTS = _words(
    "pass pwd secret token key auth cred cookie session jwt dsn csrf xsrf cvv cvc ssn bearer otp signature card social "
    "pin phrase mnemonic code url uri conn sessid sid "
    "----- eyj akia asia sk- sk_ pk- pk_ rk_ rk- lsv lss gho_ ghp_ ghs_ ghu_ ghr_ github_pat_ glpat- xox aiza "
    "ya29. hf_ npm_ pypi- sg. gsk_ xai- er_ basic ://"
)
"""Every secret name and shape, in lower case, holds one of these; most content holds none, which is quick to see."""


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
    """Whether a text is worth a closer look; False is certain."""
    lower = text.lower()
    return any(hint in lower for hint in _HINTS)


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
    if not may_hold_secret(text):
        return text
    if text.lstrip()[:1] in ("{", "["):
        try:
            inner = json.loads(text)
        except (ValueError, RecursionError):
            return _SHAPES.sub(REDACTED, text)
        cleaned = redact(inner)
        return text if cleaned == inner else json.dumps(cleaned)
    return _SHAPES.sub(REDACTED, text)


def _field(name: str, value: Any) -> Any:
    """A field's value; whether there is a secret (true, false, null) is none."""
    if value is None or isinstance(value, bool) or not is_secret_name(name):
        return redact(value)
    return REDACTED
