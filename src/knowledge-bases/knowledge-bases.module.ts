import { Module } from '@nestjs/common';
import { ConnectorsModule } from '../connectors';
import { FilesModule } from '../files';
import { RowCacheModule } from '../infrastructure/cache';
import { MeteringModule } from '../metering';
import { OrganizationsModule } from '../organizations';
import { DocumentHolderRepository } from './documents/document-holder.repository';
import { DocumentStore } from './documents/document-store';
import { DocumentUploads } from './documents/document-uploads';
import { DocumentsController } from './documents/documents.controller';
import { DocumentsService } from './documents/documents.service';
import { SourceLinkReader, SourceLinks } from './documents/source-links';
import { SourceLinksController } from './documents/source-links.controller';
import { ChunkEmbedder, ChunkVectors } from './embedding/chunk-embedder';
import { EmbeddingCacheRepository } from './embedding/embedding-cache.repository';
import { EmbeddingSettings } from './embedding/embedding-settings';
import { IndexBuilder } from './embedding/index-builder';
import { VectorIndexRepository } from './embedding/vector-index.repository';
import { GraphMaintenance, VectorMaintenance } from './embedding/vector-maintenance';
import { ExternalCollectionRepository } from './external-collection.repository';
import { ExternalCollectionsController } from './external-collections.controller';
import { CollectionImport, ExternalCollectionsService } from './external-collections.service';
import { DocumentReader } from './ingestion/document-reader';
import { DocumentWriter } from './ingestion/document-writer';
import { IndexUpgrade } from './ingestion/index-upgrade';
import { IngestionRequests } from './ingestion/ingestion-requests';
import { DocumentPurge, IngestionService, IngestionSweep } from './ingestion/ingestion.service';
import { KnowledgeBaseImport } from './knowledge-base-import';
import { KnowledgeBasePurge, KnowledgeBaseStore } from './knowledge-base-store';
import { KnowledgeBasesController } from './knowledge-bases.controller';
import { KnowledgeBaseViews, KnowledgeBasesService, SharingService } from './knowledge-bases.service';
import { CollectionNames, CollectionReferences } from './retrieval/collection-references';
import { ExternalProbe, ExternalSearch } from './retrieval/external-search';
import { OwnSearch, QueryEmbedder } from './retrieval/own-search';
import { QueryController } from './retrieval/query.controller';
import { QuestionLanguages } from './retrieval/question-languages';
import { QuestionRewriter } from './retrieval/question/question-rewriter';
import { SpellingCorrector } from './retrieval/question/spelling-corrector';
import { Rerankers } from './retrieval/reranking';
import { RetrievalService } from './retrieval/retrieval.service';
import { PassageRepository } from './search/passage.repository';
import { ResidentIndexes } from './search/resident-indexes';
import { ResidentRepository } from './search/resident.repository';
import { SearchIndex } from './search/search-index';
import { SpellingRepository } from './search/spelling.repository';
import { VectorGraphs } from './search/vector-graphs';
import { VectorGraphRepository } from './search/vector-graphs.repository';
import { VectorStore } from './search/vector-store';
import { VectorStoreRepository } from './search/vector-store.repository';
import { SourceFetcher } from './sources/source-fetcher';
import { SourceRefreshService, SourceRequests, SourceSweep } from './sources/source-refresh.service';
import { SourceRepository } from './sources/source.repository';
import { SourcesController } from './sources/sources.controller';
import { SourcesService } from './sources/sources.service';
import { DocumentRepository } from './storage/document.repository';
import { KnowledgeBasePermissions } from './storage/knowledge-base.permissions';
import { KnowledgeBaseRepository } from './storage/knowledge-base.repository';

@Module({
  imports: [ConnectorsModule, FilesModule, MeteringModule, OrganizationsModule, RowCacheModule],
  // First, because `/external` would match the route of one knowledge base.
  controllers: [
    ExternalCollectionsController,
    KnowledgeBasesController,
    DocumentsController,
    QueryController,
    SourceLinksController,
    SourcesController,
  ],
  providers: [
    ChunkEmbedder,
    CollectionImport,
    CollectionNames,
    CollectionReferences,
    DocumentPurge,
    DocumentReader,
    DocumentRepository,
    DocumentsService,
    DocumentHolderRepository,
    DocumentStore,
    DocumentUploads,
    DocumentWriter,
    ExternalCollectionRepository,
    ExternalProbe,
    ExternalSearch,
    ExternalCollectionsService,
    IngestionRequests,
    IngestionService,
    IngestionSweep,
    IndexUpgrade,
    KnowledgeBaseImport,
    KnowledgeBasePermissions,
    KnowledgeBasePurge,
    KnowledgeBaseRepository,
    KnowledgeBasesService,
    KnowledgeBaseStore,
    QueryEmbedder,
    OwnSearch,
    PassageRepository,
    SpellingCorrector,
    SpellingRepository,
    QuestionRewriter,
    Rerankers,
    ResidentIndexes,
    ResidentRepository,
    RetrievalService,
    SearchIndex,
    SharingService,
    QuestionLanguages,
    SourceLinkReader,
    SourceLinks,
    SourceFetcher,
    SourceRefreshService,
    SourceRepository,
    SourceRequests,
    SourcesService,
    SourceSweep,
    ChunkVectors,
    EmbeddingCacheRepository,
    EmbeddingSettings,
    GraphMaintenance,
    IndexBuilder,
    VectorIndexRepository,
    VectorMaintenance,
    KnowledgeBaseViews,
    VectorGraphRepository,
    VectorGraphs,
    {
      provide: VectorStore,
      useFactory: (...parts: Parameters<typeof VectorStore.prepared>) => VectorStore.prepared(...parts),
      inject: [VectorStoreRepository, VectorGraphs],
    },
    VectorStoreRepository,
  ],
  exports: [
    ExternalProbe,
    CollectionNames,
    CollectionImport,
    KnowledgeBaseImport,
    DocumentsService,
    KnowledgeBasePermissions,
    KnowledgeBasePurge,
    KnowledgeBaseRepository,
    KnowledgeBasesService,
    QuestionRewriter,
    RetrievalService,
    SourceLinks,
    VectorStore,
  ],
})
export class KnowledgeBasesModule {}
