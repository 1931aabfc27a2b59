"""Secrets and personal data out of texts, before anything else sees them.

>>> from retentive import redact
>>> redact("Authorization: Bearer 9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c").text
'Authorization: Bearer [REDACTED:authorization]'
"""

from retentive.redaction.engine import redact
from retentive.redaction.policy import DEFAULT_POLICY, Redacted, RedactionPolicy, Span, ValueSpan
from retentive.redaction.values import redact_value

__all__ = ["DEFAULT_POLICY", "Redacted", "RedactionPolicy", "Span", "ValueSpan", "redact", "redact_value"]
