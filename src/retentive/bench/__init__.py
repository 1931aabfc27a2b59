"""Measurements of Retentive itself, run by `retentive bench`. Each is a module with a plan, a measure and a result."""
