import { Injectable } from '@nestjs/common';
import { BlobStore } from '../../files';
import type { RunningJob } from '../../platform/jobs';
import type { DocumentEntity } from '../storage/document.entity';
import { DocumentRepository } from '../storage/document.repository';
import { allFiles } from '../storage/document-files';
import { knowledgeBaseSpace } from '../storage/document-space';
import { SearchIndex } from '../search/search-index';
import { IngestionRequests } from './ingestion-requests';
import type { TenantJob } from './tenant-job';

/** Takes hidden documents apart: chunks in short transactions, then the bytes, then the row that names them. */
@Injectable()
export class DocumentPurge {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly index: SearchIndex,
    private readonly blobs: BlobStore,
    private readonly requests: IngestionRequests,
  ) {
    requests.onPurge((job) => this.run(job));
  }

  /** The document must be out of sight, or its knowledge base: nobody may be writing to it. */
  async purge(row: DocumentEntity): Promise<void> {
    const { organizationId, knowledgeBaseId, id } = row;
    await this.index.removeChunks({ organizationId, knowledgeBaseId, documentId: id }, 'all');
    const space = knowledgeBaseSpace(organizationId, knowledgeBaseId);
    for (const name of allFiles(row)) await this.blobs.remove(space, name);
    await this.documents.within(organizationId).remove(id);
  }

  private async run({ data: { organizationId, id } }: RunningJob<TenantJob>): Promise<void> {
    const row = await this.documents.within(organizationId).find(id);
    if (row !== null && row.deletedAt !== null) await this.purge(row);
    this.requests.ring();
  }
}
