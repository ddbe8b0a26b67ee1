"""Command lines, understood: what they run, what that does, and where each word stands.

`parser.parse` turns a text into the values of `syntax`; `effects.effect_of` says what it does.
Everything here is pure.
"""

from __future__ import annotations
