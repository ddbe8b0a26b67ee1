"""What a tool call does: a set of flags with a stated order of badness."""

from __future__ import annotations

from agguard.model.members import IntFlag


class Effect(IntFlag):
    """Effects, mildest first; an outcome is judged by the worst flag that is set.

    `curl -o file` is NETWORK | WRITE. UNKNOWN is a flag of its own and the worst one: what
    agguard cannot understand is never harmless.
    """

    READ = 1
    """Looks at something and changes nothing."""
    MESSAGE = 2
    """Speaks to the user or to another agent."""
    NETWORK = 4
    """Reaches another machine."""
    DELEGATE = 8
    """Starts or steers another agent."""
    WRITE = 16
    """Changes a file or a service."""
    EXECUTE = 32
    """Runs code that agguard has not read."""
    CONTROL = 64
    """Changes the guard, the host or the running agents."""
    UNKNOWN = 128
    """Cannot be known."""

    @property
    def worst(self) -> Effect:
        """The worst flag that is set; UNKNOWN when none is."""
        return Effect(1 << (self.value.bit_length() - 1)) if self else Effect.UNKNOWN

    @property
    def words(self) -> str:
        """The flags as people read them, worst last: `network+write`."""
        return "+".join(flag.name.lower() for flag in Effect if self & flag and flag.name)

    def outranks(self, other: Effect) -> bool:
        """Whether this effect is worse than `other`; more flags break a tie."""
        return (self.worst, self) > (other.worst, other)


WORK = Effect.DELEGATE | Effect.WRITE | Effect.EXECUTE
"""What an agent has to account for when it stops: it spawned, wrote or executed something."""
