"""Hosts: pure translators between what a host sends and what the framework decides."""

from __future__ import annotations
