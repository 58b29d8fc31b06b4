import type { Principal } from '../kernel';
import type { KnowledgeBaseEntity } from './knowledge-base.entity';
import type { KnowledgeBaseView } from './knowledge-base.types';

export const toKnowledgeBaseView = (row: KnowledgeBaseEntity, { userId }: Principal): KnowledgeBaseView => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  description: row.description,
  language: row.language,
  visibility: row.visibility,
  owner: row.ownerId,
  access: row.ownerId === userId ? 'owner' : 'read',
  chunk_size: row.chunkSize,
  chunk_overlap: row.chunkOverlap,
  chunk_count: row.chunkCount,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});
