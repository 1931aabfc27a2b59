"""Qdrant's own engine in this process (`qdrant-edge-py`) behind those calls of its client that we make."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import qdrant_edge as edge
from qdrant_client import models as q


class EdgeClient:
    """A shard for each collection."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._shards: dict[str, edge.EdgeShard] = {}

    # -- collections -------------------------------------------------------------------------------------------------
    def collection_exists(self, name: str) -> bool:
        return name in self._shards

    def create_collection(self, name: str, vectors_config: q.VectorParams) -> None:
        assert vectors_config.distance is q.Distance.DOT
        vectors = edge.EdgeVectorParams(vectors_config.size, edge.Distance.Dot)
        place = self._folder / name
        place.mkdir(parents=True)
        self._shards[name] = edge.EdgeShard.create(str(place), edge.EdgeConfig(vectors=vectors))

    def create_payload_index(self, name: str, field: str, schema: Any) -> None:
        keyword = isinstance(schema, q.KeywordIndexParams)
        kind = edge.PayloadSchemaType.Keyword if keyword else edge.PayloadSchemaType.Integer
        self._shards[name].update(edge.UpdateOperation.create_field_index(field, kind))

    def delete_collection(self, name: str) -> None:
        self._shards.pop(name).close()
        shutil.rmtree(self._folder / name)

    def get_collections(self) -> Any:
        return SimpleNamespace(collections=[SimpleNamespace(name=name) for name in self._shards])

    def close(self) -> None:
        for shard in self._shards.values():
            shard.close()

    # -- points ------------------------------------------------------------------------------------------------------
    def upsert(self, name: str, points: list[q.PointStruct], *, wait: bool) -> None:
        assert wait
        made = [edge.Point(one.id, one.vector, one.payload) for one in points]  # type: ignore[arg-type]
        self._shards[name].update(edge.UpdateOperation.upsert_points(made))

    def delete(self, name: str, which: q.FilterSelector | q.PointIdsList, *, wait: bool) -> None:
        assert wait
        if isinstance(which, q.FilterSelector):
            operation = edge.UpdateOperation.delete_points_by_filter(_filter(which.filter))
        else:
            operation = edge.UpdateOperation.delete_points(list(which.points))
        self._shards[name].update(operation)

    def scroll(self, name: str, limit: int = 10, offset: Any = None) -> tuple[list[Any], Any]:
        asked = edge.ScrollRequest(offset=offset, limit=limit, with_payload=True)
        return self._shards[name].scroll(asked)

    def retrieve(self, name: str, ids: list[str], *, with_payload: bool) -> list[Any]:
        found: list[Any] = self._shards[name].retrieve(ids, with_payload, False)  # noqa: FBT003  its own order
        return found

    def count(self, name: str) -> Any:
        return SimpleNamespace(count=self._shards[name].count(edge.CountRequest()))

    def query_points(
        self, name: str, query: list[float], *, query_filter: q.Filter, limit: int, with_payload: bool
    ) -> Any:
        asked = edge.QueryRequest(
            limit=limit, query=edge.Query.Nearest(query), filter=_filter(query_filter), with_payload=with_payload
        )
        return SimpleNamespace(points=self._shards[name].query(asked))


def _filter(given: q.Filter) -> edge.Filter:
    def many(conditions: Any) -> list[Any] | None:
        return [_condition(one) for one in conditions] if conditions else None

    return edge.Filter(must=many(given.must), should=many(given.should), must_not=many(given.must_not))


def _condition(given: Any) -> Any:
    if isinstance(given, q.Filter):
        return _filter(given)
    if isinstance(given, q.IsEmptyCondition):
        return edge.IsEmptyCondition(given.is_empty.key)
    if given.range is not None:
        return edge.FieldCondition(given.key, range=edge.RangeFloat(lt=given.range.lt))
    return edge.FieldCondition(given.key, match=edge.MatchValue(given.match.value))
