"""Where the host keeps its record of a conversation, from that of another one. Pure."""

from __future__ import annotations

import os


def is_name(text: str) -> bool:
    """Whether a conversation's id can be the name of a folder and nothing else."""
    return bool(text) and text not in (".", "..") and not set(text) & set("/\\\0")


def folder(transcript: str) -> str:
    """Return the folder of the conversation that `transcript` is the record of.

    The record stands in `.system_generated/logs/` below it (contract, section 8).
    """
    return os.path.dirname(os.path.dirname(os.path.dirname(transcript)))


def record(transcript: str, conversation: str) -> str:
    """Return the path of another conversation's record; empty when there can be none."""
    brain = os.path.dirname(folder(transcript))
    if not brain or not is_name(conversation):
        return ""
    name = os.path.basename(transcript)
    return os.path.join(brain, conversation, ".system_generated", "logs", name)
