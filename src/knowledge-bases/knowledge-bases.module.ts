import { Module } from '@nestjs/common';
import { FilesModule } from '../files';
import { OrganizationsModule } from '../organizations';
import { DocumentStore } from './documents/document-store';
import { DocumentRepository } from './documents/document.repository';
import { DocumentsController } from './documents/documents.controller';
import { DocumentsService } from './documents/documents.service';
import { SourceLinkReader } from './documents/source-link-reader';
import { SourceLinks } from './documents/source-links';
import { SourceLinksController } from './documents/source-links.controller';
import { ExternalCollections } from './retrieval/external-collections';
import { IngestionService } from './ingestion/ingestion.service';
import { KnowledgeBasePurge } from './knowledge-base-purge';
import { KnowledgeBaseStore } from './knowledge-base-store';
import { KnowledgeBasePermissions } from './knowledge-base.permissions';
import { KnowledgeBaseRepository } from './knowledge-base.repository';
import { KnowledgeBasesController } from './knowledge-bases.controller';
import { KnowledgeBasesService } from './knowledge-bases.service';
import { RetrievalService } from './retrieval/retrieval.service';
import { SearchIndex } from './search/search-index';
import { SearchIndexRepository } from './search/search-index.repository';
import { SharingService } from './sharing.service';

@Module({
  imports: [FilesModule, OrganizationsModule],
  controllers: [KnowledgeBasesController, DocumentsController, SourceLinksController],
  providers: [
    DocumentRepository,
    DocumentsService,
    DocumentStore,
    ExternalCollections,
    IngestionService,
    KnowledgeBasePermissions,
    KnowledgeBasePurge,
    KnowledgeBaseRepository,
    KnowledgeBasesService,
    KnowledgeBaseStore,
    RetrievalService,
    SearchIndex,
    SearchIndexRepository,
    SharingService,
    SourceLinkReader,
    SourceLinks,
  ],
  exports: [DocumentsService, KnowledgeBasesService, SourceLinks],
})
export class KnowledgeBasesModule {}
