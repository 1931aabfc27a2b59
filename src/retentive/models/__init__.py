"""Embedders and token counters. Importing this package loads none of them: import the one you use.

`embed_local` runs on this machine's CPU, `embed_http` asks an endpoint, `cache` keeps vectors already made, `tokens`
counts tokens.
"""
