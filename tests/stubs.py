"""Stand-ins for parts that are slow or far away. They keep the contract, so what is tested is the code around them."""

from retentive.testing import StubEmbedder

__all__ = ["StubEmbedder"]
