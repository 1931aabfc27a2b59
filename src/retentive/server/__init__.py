"""The server: every verb over HTTP under `/v1`, for agents in any language. A front: it translates, it never decides.

`create_app(memory)` gives an ASGI application, `serve(memory)` runs it; both need the extra `server`.
"""
