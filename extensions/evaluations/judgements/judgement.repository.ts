import { Injectable } from '@nestjs/common';
import { TenantScope, tenantRepository } from '../../../src/infrastructure/database';
import { JudgementEntity } from './judgement.entity';

/** A chunk under a passage that is judged. */
export interface JudgedChunk {
  readonly hash: string;
  readonly text: string;
  readonly filename: string;
}

/** Chunks of which the passage has the greater part. */
const CHUNKS = `
  SELECT md5(c.text) AS hash, c.text, d.filename
  FROM kb_chunks c JOIN kb_documents d ON d.id = c.document_id AND d.generation = c.generation
  WHERE c.organization_id = $1 AND c.knowledge_base_id = $2 AND c.document_id = $3 AND d.deleted_at IS NULL
    AND 2 * (least(c.end_offset, $5) - greatest(c.start_offset, $4)) > c.end_offset - c.start_offset
  ORDER BY c.ordinal`;

const PRESENT = `
  SELECT DISTINCT md5(c.text) AS hash
  FROM kb_chunks c JOIN kb_documents d ON d.id = c.document_id AND d.generation = c.generation
  WHERE c.organization_id = $1 AND c.knowledge_base_id = $2 AND d.deleted_at IS NULL AND md5(c.text) = ANY ($3::text[])`;

/** Judgements of one organization. */
export class JudgementScope extends TenantScope<JudgementEntity> {
  /** Newest first. */
  all(knowledgeBaseId: string, question: string | null, limit: number): Promise<JudgementEntity[]> {
    return this.rows.find({
      where: this.where({ knowledgeBaseId, ...(question === null ? {} : { questionHash: question }) }),
      order: { id: 'DESC' },
      take: limit,
    });
  }

  count(knowledgeBaseId: string): Promise<number> {
    return this.rows.countBy(this.where({ knowledgeBaseId }));
  }

  findIn(knowledgeBaseId: string, id: string): Promise<JudgementEntity | null> {
    return this.rows.findOneBy(this.where({ knowledgeBaseId, id }));
  }

  findOf(knowledgeBaseId: string, questionHash: string, passageHash: string): Promise<JudgementEntity | null> {
    return this.rows.findOneBy(this.where({ knowledgeBaseId, questionHash, passageHash }));
  }

  chunksAt(
    knowledgeBaseId: string,
    { documentId, start, end }: { readonly documentId: string; readonly start: number; readonly end: number },
  ): Promise<JudgedChunk[]> {
    return this.rows.query<JudgedChunk[]>(CHUNKS, [this.organizationId, knowledgeBaseId, documentId, start, end]);
  }

  /** The hashes that current chunks of the knowledge base have. */
  async present(knowledgeBaseId: string, hashes: readonly string[]): Promise<ReadonlySet<string>> {
    if (hashes.length === 0) return new Set();
    const values = [this.organizationId, knowledgeBaseId, [...hashes]];
    const rows = await this.rows.query<{ hash: string }[]>(PRESENT, values);
    return new Set(rows.map(({ hash }) => hash));
  }
}

@Injectable()
export class JudgementRepository extends tenantRepository(JudgementEntity, () => JudgementScope) {}
