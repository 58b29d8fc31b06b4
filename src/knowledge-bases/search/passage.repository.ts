import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { queryPrepared } from '../../infrastructure/database';
import type { Hit } from './chunk.types';
import type { Statement } from './hybrid-query';

export interface FoundHit extends Hit {
  readonly by: 'keyword' | 'vector';
}

/** A section of a document, as its chunks name it. */
export interface SectionKey {
  readonly documentId: string;
  readonly generation: string;
  readonly start: number;
  readonly end: number;
}

/** A chunk that overlaps a section; `place` is the position of that section in the request, from 0. */
export interface SectionChunk {
  readonly place: number;
  readonly text: string;
  readonly table_header: string | null;
  readonly start_offset: number;
  readonly end_offset: number;
  readonly page: number | null;
  readonly page_end: number | null;
  readonly page_label: string | null;
  readonly page_end_label: string | null;
}

const SECTIONS = `
  SELECT (w.place - 1)::int AS place, c.text, c.table_header, c.start_offset, c.end_offset, c.page, c.page_end,
    d.page_labels[c.page] AS page_label, d.page_labels[c.page_end] AS page_end_label
  FROM unnest($2::uuid[], $3::uuid[], $4::int[], $5::int[]) WITH ORDINALITY
    AS w (document_id, generation, section_start, section_end, place)
  JOIN kb_chunks c ON c.document_id = w.document_id AND c.generation = w.generation AND c.organization_id = $1
    AND c.start_offset < w.section_end AND c.end_offset > w.section_start
  JOIN kb_documents d ON d.id = c.document_id
  ORDER BY w.place, c.ordinal`;

/** Reads the index. Every method is one round trip. */
@Injectable()
export class PassageRepository {
  constructor(private readonly dataSource: DataSource) {}

  search({ sql, parameters, isConstant }: Statement): Promise<FoundHit[]> {
    if (!isConstant) return this.dataSource.query<FoundHit[]>(sql, [...parameters]);
    return queryPrepared<FoundHit>(this.dataSource, sql, parameters);
  }

  /** All chunks that overlap the sections, in the order of `keys` and then of the document. */
  async sections(organizationId: string, keys: readonly SectionKey[]): Promise<SectionChunk[]> {
    if (keys.length === 0) return [];
    return this.dataSource.query<SectionChunk[]>(SECTIONS, [
      organizationId,
      keys.map(({ documentId }) => documentId),
      keys.map(({ generation }) => generation),
      keys.map(({ start }) => start),
      keys.map(({ end }) => end),
    ]);
  }
}
