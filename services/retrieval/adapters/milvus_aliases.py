"""Aliases in Milvus: the name under which people and other programs find a knowledge base's collection."""

from __future__ import annotations

from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException


def alias_of(knowledge_base: str) -> str:
    """The alias of a knowledge base: its name in the letters Milvus allows, different for different names."""
    return "kb_" + knowledge_base.replace("_", "__").replace("-", "_d")


def point_alias(client: MilvusClient, alias: str, collection: str, timeout: float) -> None:
    """Points an alias to ``collection``, made if there is none."""
    target = alias_target(client, alias, timeout)
    if target == collection:
        return
    if target:
        client.alter_alias(collection, alias, timeout=timeout)
    else:
        client.create_alias(collection, alias, timeout=timeout)


def alias_target(client: MilvusClient, alias: str, timeout: float) -> str:
    """The collection that an alias points to; empty if there is no such alias."""
    try:
        return str(client.describe_alias(alias, timeout=timeout).get("collection_name", ""))
    except MilvusException as error:
        if "not" in str(error.message).lower():  # "alias not found", in the words of either server
            return ""
        raise
