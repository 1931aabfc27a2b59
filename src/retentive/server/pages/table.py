"""Every page there is, and the routes of them all."""

from __future__ import annotations

from starlette.routing import Route as Path

from retentive.server.pages import costs, looking, memories, operating, people, sessions
from retentive.server.pages.site import Page, Site

PAGES: tuple[Page, ...] = (
    Page("/", operating.overview),
    Page("/memories", memories.listed, memories.remembered, scoped=True),
    Page("/memories/{id}", memories.one, memories.corrected, scoped=True),
    Page("/memories/{id}/forget", memories.to_forget, memories.forgotten, scoped=True),
    Page("/profile", memories.profile, memories.profile_set, scoped=True),
    Page("/recall", looking.recalled, scoped=True),
    Page("/block", looking.block, scoped=True),
    Page("/timeline", looking.timeline, scoped=True),
    Page("/graph", looking.graph, scoped=True),
    Page("/sessions", sessions.listed, scoped=True),
    Page("/session", sessions.one, sessions.ended, scoped=True),
    Page("/transfer", sessions.transfer, sessions.imported, scoped=True),
    Page("/transfer/export", sessions.exported, scoped=True),
    Page("/erase", sessions.to_erase, sessions.erased, scoped=True),
    Page("/review", people.waiting, people.decided),
    Page("/keys", people.keys, people.changed),
    Page("/audit", people.audit),
    Page("/usage", costs.usage),
    Page("/jobs", operating.jobs, operating.started),
    Page("/operations/{id}", operating.operation),
    Page("/settings", operating.settings),
)


def page_routes() -> list[Path]:
    """The routes of the web page, for `create_app(memory, more=page_routes())`.

    >>> "/memories/{id}" in [route.path for route in page_routes()]
    True
    """
    site = Site()
    return [*map(site.route, PAGES), *site.signing()]
