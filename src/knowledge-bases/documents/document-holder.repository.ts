import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  type BlobCursor,
  type BlobHolder,
  BlobHolders,
  type BlobTotals,
  type HeldBlob,
  type StorageName,
  S3_MARK,
} from '../../files';
import { Transactions } from '../../infrastructure/database';
import { SearchIndex } from '../search/search-index';
import { knowledgeBaseSpace } from '../storage/document-scope.repository';

/** Up to two blobs per document: the newest upload, and the previous one, which answers until the newest is processed. */
const BLOBS = `
  kb_documents d CROSS JOIN LATERAL (VALUES
    (d.storage_name, d.size, d.sha256),
    (d.answering->>'storageName', (d.answering->>'size')::integer, d.answering->>'sha256')
  ) AS blob(name, size, sha256)
  WHERE d.deleted_at IS NULL AND starts_with(blob.name, '${S3_MARK}') = $1`;

const TOTALS = `SELECT count(*)::int AS files, coalesce(sum(blob.size), 0)::float8 AS bytes FROM ${BLOBS}`;

const PAGE = `
  SELECT d.id, d.organization_id, d.knowledge_base_id, blob.name, blob.size, blob.sha256 FROM ${BLOBS}
    AND ($2::uuid IS NULL OR (d.id, blob.name) > ($2::uuid, $3))
  ORDER BY d.id, blob.name LIMIT $4`;

/** Compare and swap. `updated_at` stays. */
const RENAME = `
  UPDATE kb_documents SET
    storage_name = CASE storage_name WHEN $2 THEN $3 ELSE storage_name END,
    answering = CASE answering->>'storageName' WHEN $2 THEN jsonb_set(answering, '{storageName}', to_jsonb($3::text)) ELSE answering END
  WHERE id = $1 AND deleted_at IS NULL AND $2 IN (storage_name, answering->>'storageName') RETURNING id`;

const HELD = `
  SELECT FROM kb_documents
  WHERE id = $1 AND deleted_at IS NULL AND $2 IN (storage_name, answering->>'storageName')`;

interface Row {
  readonly id: string;
  readonly organization_id: string;
  readonly knowledge_base_id: string;
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

/** The original files of documents. */
@Injectable()
export class DocumentHolderRepository implements BlobHolder {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: Transactions,
    private readonly index: SearchIndex,
    holders: BlobHolders,
  ) {
    holders.register(this);
  }

  async totals(place: StorageName): Promise<BlobTotals> {
    const [row] = await this.dataSource.query<[BlobTotals]>(TOTALS, [place === 's3']);
    return row;
  }

  async page(place: StorageName, after: BlobCursor | null, limit: number): Promise<readonly HeldBlob[]> {
    const rows = await this.dataSource.query<Row[]>(PAGE, [place === 's3', after?.id, after?.name, limit]);
    return rows.map(({ organization_id, knowledge_base_id, ...blob }) => ({
      ...blob,
      space: knowledgeBaseSpace(organization_id, knowledge_base_id),
    }));
  }

  /** Under the lock of the knowledge base: a replacing upload reads the old name and writes it again. */
  rename({ id, space: [, organizationId, knowledgeBaseId = ''], name: old }: HeldBlob, name: string): Promise<boolean> {
    return this.transactions.run(async (tx) => {
      if ((await this.index.lock(organizationId, knowledgeBaseId, tx)) === undefined) return false;
      const [rows] = await tx.query<[object[], number]>(RENAME, [id, old, name]);
      return rows.length === 1;
    });
  }

  async isHeld({ id, name }: HeldBlob): Promise<boolean> {
    return (await this.dataSource.query<object[]>(HELD, [id, name])).length === 1;
  }
}
