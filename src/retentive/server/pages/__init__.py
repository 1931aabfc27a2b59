"""The web page of a store: what is remembered and why, what it costs, and the means to correct it.

Rendered here from templates, with one style sheet and one small script of ours; nothing is loaded from elsewhere. Each
page calls the verbs of the REST table under the same checks, so it can do no more than its visitor's key.
`page_routes()` gives the routes for `create_app(memory, more=...)`.
"""
