"""Who may change knowledge bases: one place for every call that does."""

from __future__ import annotations

from services.common.errors import PermissionDenied
from services.common.identity import current_identity


class WriteGuard:
    """Base of what serves KnowledgeBaseService. An empty ``write_group`` lets everyone write."""

    _write_group: str = ""

    def _writing(self) -> None:
        """Raises PermissionDenied unless the caller may write."""
        if self._write_group and self._write_group not in current_identity().groups:
            raise PermissionDenied(
                "WRITE_GROUP_REQUIRED",
                f"only members of the group {self._write_group} may change knowledge bases; use a token that names it",
                metadata={"group": self._write_group},
            )
