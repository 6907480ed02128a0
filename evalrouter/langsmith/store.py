"""The files of an import: the checkpoint, beside it the delivery, what is remembered, and the lock on all of them."""

from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from evalrouter.langsmith import pending
from evalrouter.langsmith.checkpoint import Binding, Checkpoint, check_since, decode
from evalrouter.langsmith.errors import CheckpointError
from evalrouter.langsmith.files import PRIVATE_FILE, make_folder, read_private, remove_private, replace_private
from evalrouter.langsmith.pending import Delivery
from evalrouter.langsmith.remembered import Remembered


class Store:
    """The files, held by this process alone between `with` and its end.

    Args:
        path: The checkpoint.
        binding: What the import is of.
        since_ns: The start that was asked for, nanoseconds since 1970.

    Attributes:
        checkpoint: Where the import stands.
        remembered: Traces that need not be read again.
        is_new: Whether there was no checkpoint.
    """

    def __init__(self, path: Path, binding: Binding, since_ns: int | None) -> None:
        self.path = path
        self.delivery_path = path.with_name(f"{path.name}.delivery.json")
        self.remembered_path = path.with_name(f"{path.name}.seen")
        self._binding = binding
        self._since_ns = since_ns
        self._lock = FileLock(path.with_name(f"{path.name}.lock"), timeout=0, mode=PRIVATE_FILE)
        self.checkpoint: Checkpoint
        self.remembered: Remembered
        self.is_new = False

    def __enter__(self) -> Self:
        make_folder(self.path)
        try:
            self._lock.acquire()
        except Timeout:
            raise CheckpointError(
                f"Another process is using {self.path}: wait for its end, or give this one a --state of its own."
            ) from None
        try:
            self.load()
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._lock.release()

    def load(self) -> Delivery | None:
        """Reads the files, and gives the delivery that is without an acknowledgement.

        Raises:
            CheckpointError: They cannot be used.
            OSError: They cannot be read.
        """
        content = read_private(self.path)
        self.is_new = content is None
        if content is None:
            self.checkpoint = Checkpoint(self._binding, self._since_ns, position_ns=self._since_ns or 0)
        else:
            self.checkpoint = decode(content, self.path, self._binding)
            check_since(self.checkpoint, self._since_ns, self.path)
        self.remembered = Remembered(self.remembered_path, self.checkpoint.remembered)
        return self.delivery()

    def delivery(self) -> Delivery | None:
        """The delivery that is without an acknowledgement.

        Raises:
            CheckpointError: It is missing, damaged, or of something else.
        """
        content = read_private(self.delivery_path)
        if content is not None:
            return pending.decode(content, self.delivery_path, self._binding)
        if self.checkpoint.has_delivery:
            raise CheckpointError(
                f"{self.path} says that a delivery is without an acknowledgement, but {self.delivery_path} is not "
                "there: put it back beside the checkpoint. If it is lost, move the checkpoint away and begin with a "
                "new --state: traces that the destination holds are not doubled."
            )
        return None

    def save(self) -> None:
        """Writes the checkpoint.

        Raises:
            OSError: It could not be written.
        """
        replace_private(self.path, self.checkpoint.encode())
        self.is_new = False

    def keep(self, delivery: Delivery) -> None:
        """Writes a delivery, before its first request is sent.

        Raises:
            OSError: It could not be written.
        """
        replace_private(self.delivery_path, delivery.encode(self._binding))
        if not self.checkpoint.has_delivery:
            self.checkpoint.has_delivery = True
            self.save()

    def settle(self) -> None:
        """Notes that everything of the delivery has been acknowledged or refused.

        Raises:
            OSError: It could not be written.
        """
        self.checkpoint.has_delivery = False
        self.save()
        remove_private(self.delivery_path)
