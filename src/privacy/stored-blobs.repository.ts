import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { PersonIn } from './person-rows.repository';

/** Bytes of a file or document that a person owns. */
export interface StoredBlob {
  readonly folder: string;
  readonly name: string;
  readonly storageName: string;
  readonly knowledgeBaseId: string | null;
}

const BLOBS = `
  SELECT 'files' AS folder, name, storage_name AS "storageName", NULL::uuid AS "knowledgeBaseId"
  FROM files WHERE organization_id = $1 AND owner_id = $2
  UNION ALL
  SELECT 'documents/' || kb.slug, document.filename, document.storage_name, kb.id
  FROM knowledge_bases kb JOIN kb_documents document ON document.knowledge_base_id = kb.id
  WHERE kb.organization_id = $1 AND kb.owner_id = $2 AND kb.deleted_at IS NULL AND document.deleted_at IS NULL
  ORDER BY 1, 2`;

@Injectable()
export class StoredBlobsRepository {
  constructor(private readonly dataSource: DataSource) {}

  of({ organizationId, userId }: PersonIn): Promise<StoredBlob[]> {
    return this.dataSource.query(BLOBS, [organizationId, userId]);
  }
}
