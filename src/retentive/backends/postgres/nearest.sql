-- The memories of one scope that are nearest to a query in meaning, by the graph of pgvector (HNSW) over 16-bit vectors.
-- The graph knows no scopes: an iterative scan goes on through it until enough of this one are found. The index is partial,
-- of one embedder's vectors in large scopes alone.
SELECT row
FROM vector
WHERE model = :model AND near IS NOT NULL AND row BETWEEN :first AND :last
ORDER BY CAST(near AS halfvec({dimension})) <#> CAST(:query AS halfvec({dimension}))
LIMIT :limit
