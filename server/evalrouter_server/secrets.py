"""Secrets: new keys, their hashes, and the box that encrypts what must be read back."""

import base64
import hashlib
import os
import secrets as random_secrets
from pathlib import Path
from typing import Literal, Self

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

SECRET_VARIABLE = "EVALROUTER_SERVER_SECRET"  # noqa: S105
"""The environment variable that holds the server's secret; without it a file in the data folder does."""

SHORTEST_SECRET = 32
"""Characters."""

SHOWN = 8
"""Characters of a key that may be shown after it was made."""

type SecretPrefix = Literal["er_", "er_gw_", "er_dk_", "er_tr_"]


def new_secret(prefix: SecretPrefix = "er_") -> str:
    """A fresh key with 256 random bits, such as `er_q1w2...`.

    Args:
        prefix: `er_gw_` marks a gateway key, `er_dk_` a delivery key, `er_tr_` a trace connection's.
    """
    return prefix + random_secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    """What is stored of a key: its sha256 in hex. A plain hash will do: nobody guesses a key's 256 random bits."""
    return hashlib.sha256(secret.encode()).hexdigest()


def shown_prefix(secret: str) -> str:
    """The first characters of a key, by which its owner knows it again."""
    return secret[:SHOWN]


class SecretBox:
    """Encrypts and authenticates what the server must be able to read back (Fernet: AES-128-CBC with HMAC-SHA256).

    Args:
        secret: At least 32 characters that nobody can guess.

    Raises:
        ValueError: The secret is too short.
    """

    def __init__(self, secret: str) -> None:
        if len(secret) < SHORTEST_SECRET:
            raise ValueError(
                f"the server's secret has {len(secret)} characters and needs at least {SHORTEST_SECRET}: "
                f"put a random string into {SECRET_VARIABLE}"
            )
        key = HKDF(SHA256(), length=32, salt=None, info=b"evalrouter secret box 1").derive(secret.encode())
        self._fernet = Fernet(base64.urlsafe_b64encode(key))

    @classmethod
    def open(cls, data_dir: Path) -> Self:
        """The box of a server: its secret is in `EVALROUTER_SERVER_SECRET`, else in a file only for its owner.

        Args:
            data_dir: The folder of that file, which is made on first use.

        Raises:
            ValueError: The variable holds too short a secret.
        """
        return cls(os.environ.get(SECRET_VARIABLE) or _secret_of(data_dir / "server-secret"))

    def opens(self, sealed: bytes) -> bool:
        """Whether something was sealed with the same secret."""
        try:
            self.unseal(sealed)
        except ValueError:
            return False
        return True

    def seal(self, plain: bytes) -> bytes:
        """Encrypt."""
        return self._fernet.encrypt(plain)

    def unseal(self, sealed: bytes) -> bytes:
        """Decrypt.

        Raises:
            ValueError: It was sealed with another secret, or changed since.
        """
        try:
            return self._fernet.decrypt(sealed)
        except InvalidToken:
            raise ValueError(
                f"a stored secret cannot be decrypted: {SECRET_VARIABLE} or the secret file has changed since"
            ) from None


def _secret_of(path: Path) -> str:
    """The file's secret; made whole or not at all, so that processes that start at once agree on one."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{os.getpid()}.{random_secrets.token_hex(4)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(random_secrets.token_urlsafe(32))
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()
