import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { BlobStore } from '../files';
import { DocumentStore } from './documents/document-store';
import { DocumentRepository } from './documents/document.repository';
import { knowledgeBaseSpace } from './ingestion/ingestion.service';
import type { KnowledgeBaseEntity } from './knowledge-base.entity';
import { KnowledgeBaseRepository } from './knowledge-base.repository';

/** Takes hidden knowledge bases apart, document by document; one left over by a stopped process is taken up at the next start. */
@Injectable()
export class KnowledgeBasePurge implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(KnowledgeBasePurge.name);
  private tail: Promise<void> = Promise.resolve();
  private stopping = false;

  constructor(
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly documents: DocumentRepository,
    private readonly store: DocumentStore,
    private readonly blobs: BlobStore,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const row of await this.knowledgeBases.hidden()) this.enqueue(row);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await this.tail;
  }

  enqueue(row: KnowledgeBaseEntity): void {
    this.tail = this.tail.then(() => this.purge(row)).catch((error: unknown) => this.report(row.id, error));
  }

  private async purge({ id, organizationId }: KnowledgeBaseEntity): Promise<void> {
    const documents = this.documents.within(organizationId);
    for (let row = await documents.first(id); row !== null; row = await documents.first(id)) {
      if (this.stopping) return;
      await this.store.purgeUnseen(row);
    }
    await this.knowledgeBases.within(organizationId).remove(id);
    await this.blobs.removeSpace(knowledgeBaseSpace(organizationId, id));
  }

  private report(id: string, error: unknown): void {
    this.log.error({ msg: 'a deleted knowledge base could not be removed', knowledge_base_id: id, err: error });
  }
}
