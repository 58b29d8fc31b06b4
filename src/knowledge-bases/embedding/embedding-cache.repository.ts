import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { Embedding } from '../storage/knowledge-base.types';

/** The least recently used vectors beyond this are deleted. */
const MOST_PER_ORGANIZATION = 100_000;
const KEEP_DAYS = 30;

const FIND = `
  SELECT encode(hash, 'hex') AS hash, vector FROM kb_embedding_cache
  WHERE organization_id = $1 AND provider = $2 AND model = $3 AND dimensions = $4 AND hash = ANY ($5::bytea[])`;

/** At most once a day: an update at every read would bloat the table. */
const TOUCH = `
  UPDATE kb_embedding_cache SET used_at = now()
  WHERE organization_id = $1 AND provider = $2 AND model = $3 AND dimensions = $4 AND hash = ANY ($5::bytea[])
    AND used_at < now() - interval '1 day'`;

/** A vector belongs to the knowledge base that needed it first and is deleted with it. The lock checks that it still exists. */
const ADD = `
  INSERT INTO kb_embedding_cache (organization_id, knowledge_base_id, provider, model, dimensions, hash, vector)
  SELECT kb.organization_id, kb.id, $3, $4, $5, i.hash, i.vector
  FROM unnest($6::bytea[], $7::bytea[]) AS i (hash, vector)
  CROSS JOIN (SELECT id, organization_id FROM knowledge_bases WHERE id = $2 AND organization_id = $1 FOR KEY SHARE) kb
  ON CONFLICT DO NOTHING`;

const FORGET_OLD = `DELETE FROM kb_embedding_cache WHERE used_at < now() - interval '${KEEP_DAYS} days'`;
const FORGET_MOST = `
  DELETE FROM kb_embedding_cache c USING (
    SELECT organization_id, (
      SELECT used_at FROM kb_embedding_cache e WHERE e.organization_id = o.organization_id
      ORDER BY used_at DESC OFFSET $1 LIMIT 1
    ) AS before
    FROM (SELECT id AS organization_id FROM organizations) o
  ) excess
  WHERE c.organization_id = excess.organization_id AND c.used_at <= excess.before`;

export interface CacheScope {
  readonly organizationId: string;
  readonly embedding: Embedding;
}

export interface CachedVector {
  readonly hash: string;
  readonly vector: readonly number[];
}

/** Cache key of a text. `identity` comes from `EmbeddingsService` and tells servers apart. */
export const textHash = (identity: string, text: string): string =>
  createHash('sha256')
    .update(JSON.stringify([identity, text]))
    .digest('hex');

const bytesOf = (hash: string): Buffer => Buffer.from(hash, 'hex');

const packed = (vector: readonly number[]): Buffer => {
  const buffer = Buffer.alloc(vector.length * 4);
  vector.forEach((value, at) => buffer.writeFloatLE(value, at * 4));
  return buffer;
};

const unpacked = (buffer: Buffer): number[] =>
  Array.from({ length: buffer.length / 4 }, (_, at) => buffer.readFloatLE(at * 4));

const keyOf = ({ organizationId, embedding: { provider, model, dimensions } }: CacheScope): unknown[] => [
  organizationId,
  provider,
  model,
  dimensions,
];

/** Vectors of passages by content: neither a re-indexed document nor an interrupted build pays twice. */
@Injectable()
export class EmbeddingCacheRepository {
  constructor(private readonly dataSource: DataSource) {}

  async find(scope: CacheScope, hashes: readonly string[]): Promise<Map<string, number[]>> {
    const parameters = [...keyOf(scope), hashes.map(bytesOf)];
    const rows = await this.dataSource.query<{ hash: string; vector: Buffer }[]>(FIND, parameters);
    if (rows.length > 0) await this.dataSource.query(TOUCH, parameters);
    return new Map(rows.map(({ hash, vector }) => [hash, unpacked(vector)]));
  }

  async add(scope: CacheScope, knowledgeBaseId: string, vectors: readonly CachedVector[]): Promise<void> {
    if (vectors.length === 0) return;
    const [organizationId, ...rest] = keyOf(scope);
    await this.dataSource.query(ADD, [
      organizationId,
      knowledgeBaseId,
      ...rest,
      vectors.map(({ hash }) => bytesOf(hash)),
      vectors.map(({ vector }) => packed(vector)),
    ]);
  }

  async prune(most = MOST_PER_ORGANIZATION): Promise<void> {
    await this.dataSource.query(FORGET_OLD);
    await this.dataSource.query(FORGET_MOST, [most]);
  }
}
