"""Who may change knowledge bases: one place for every call that does."""

from __future__ import annotations

from services.common.identity import require_member


class WriteGuard:
    """Base of what serves KnowledgeBaseService. An empty ``write_group`` lets everyone write."""

    _write_group: str = ""

    def _writing(self) -> None:
        """Raises PermissionDenied unless the caller may write."""
        require_member(self._write_group, "WRITE_GROUP_REQUIRED", "change knowledge bases")
