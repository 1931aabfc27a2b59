"""What every SQL backend shares: the tables' meaning, in SQL that SQLite and Postgres both read.

A backend brings a `SqlDatabase` (connections, transactions, the driver's errors as ours) and its schema; the tables
have the same names and columns in each.
"""
