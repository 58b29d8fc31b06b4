/** Columns of a hit that come from its chunk `c` and document `d`. */
export const CHUNK_COLUMNS = `
    c.document_id, c.generation, d.filename, d.source_url, d.title, c.text, c.table_header, c.section, c.page, c.page_end,
    d.page_labels[c.page] AS page_label, d.page_labels[c.page_end] AS page_end_label, d.page_count, c.ordinal, d.chunk_count,
    c.start_offset, c.end_offset, c.section_start, c.section_end`;

/**
 * Adds the other columns of `Hit` to a CTE `hit (chunk_id, knowledge_base_id, similarity, strength, unknown)`. Best first;
 * `$6` is the minimum similarity.
 */
export const HIT_ROWS = `
  SELECT hit.chunk_id, hit.knowledge_base_id,${CHUNK_COLUMNS}, hit.similarity, hit.strength, hit.unknown
  FROM hit
  JOIN kb_chunks c ON c.id = hit.chunk_id
  JOIN kb_documents d ON d.id = c.document_id
  WHERE hit.similarity >= $6
  ORDER BY hit.similarity DESC, hit.chunk_id`;
