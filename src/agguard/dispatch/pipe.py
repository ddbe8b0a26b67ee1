"""Whole pieces of data through a pipe, between the hook and the process of third parties."""

from __future__ import annotations

import os


def send(descriptor: int, data: bytes) -> None:
    """Write one request: how long it is, and what it is."""
    write(descriptor, len(data).to_bytes(8, "big") + data)


def receive(descriptor: int) -> bytes:
    """Return one request; empty when the parent is gone."""
    size = int.from_bytes(_exactly(descriptor, 8), "big")
    return _exactly(descriptor, size)


def _exactly(descriptor: int, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        chunk = os.read(descriptor, size - len(data))
        if not chunk:
            return b""
        data += chunk
    return bytes(data)


def write(descriptor: int, data: bytes) -> None:
    """Write all of some data."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
