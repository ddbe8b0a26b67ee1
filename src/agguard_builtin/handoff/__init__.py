"""A report is data: one JSON object, looked up before it is believed."""

from __future__ import annotations
