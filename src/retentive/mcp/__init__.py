"""Memory for MCP clients: over stdio (`retentive mcp`) and, in the server, over streamable HTTP at `/mcp`.

A front: tools, resources and a prompt translate to verbs of one scope. Needs the extra `mcp`.
"""
