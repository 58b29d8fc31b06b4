import { Module } from '@nestjs/common';
import { ConnectorsModule } from '../connectors';
import { ExtractionModule } from '../extraction';
import { FilesModule } from '../files';
import { MeteringModule } from '../metering';
import { OrganizationsModule } from '../organizations';
import { RowCacheModule } from '../infrastructure/row-cache';
import { DocumentHolderRepository } from './documents/document-holder.repository';
import { DocumentStore } from './documents/document-store';
import { DocumentUploads } from './documents/document-uploads';
import { DocumentRepository } from './storage/document.repository';
import { DocumentsController } from './documents/documents.controller';
import { DocumentsService } from './documents/documents.service';
import { SourceLinkReader } from './documents/source-link-reader';
import { SourceLinks } from './documents/source-links';
import { SourceLinksController } from './documents/source-links.controller';
import { CollectionNames } from './retrieval/collections/collection-names';
import { CollectionReferences } from './retrieval/collections/collection-references';
import { QueryEmbedder } from './embedding/query-embedder';
import { ExternalSearch } from './retrieval/collections/external-search';
import { OwnSearch } from './retrieval/collections/own-search';
import { QueryController } from './retrieval/query.controller';
import { QuestionRewriter } from './retrieval/question/question-rewriter';
import { ExternalProbe } from './retrieval/collections/external-probe.service';
import { CollectionImport } from './external/collection-import';
import { ExternalCollectionRepository } from './external/external-collection.repository';
import { ExternalCollectionsController } from './external/external-collections.controller';
import { ExternalCollectionsService } from './external/external-collections.service';
import { ChunkEmbedder } from './embedding/chunk-embedder';
import { DocumentPurge } from './ingestion/document-purge';
import { EvaluationService } from './judgements/evaluation/evaluation.service';
import { JudgementRepository } from './judgements/storage/judgement.repository';
import { JudgementsController } from './judgements/judgements.controller';
import { JudgementsService } from './judgements/judgements.service';
import { IndexUpgrade } from './ingestion/index-upgrade';
import { DocumentReader } from './ingestion/document-reader';
import { DocumentWriter } from './ingestion/document-writer';
import { IngestionRequests } from './ingestion/ingestion-requests';
import { IngestionSweep } from './ingestion/ingestion-sweep';
import { IngestionService } from './ingestion/ingestion.service';
import { KnowledgeBasePurge } from './knowledge-base-purge';
import { KnowledgeBaseStore } from './knowledge-base-store';
import { KnowledgeBasePermissions } from './storage/knowledge-base.permissions';
import { KnowledgeBaseRepository } from './storage/knowledge-base.repository';
import { KnowledgeBasesController } from './knowledge-bases.controller';
import { KnowledgeBasesService } from './knowledge-bases.service';
import { Rerankers } from './retrieval/reranking/rerankers';
import { QuestionLanguages } from './retrieval/translation/question-languages';
import { RetrievalService } from './retrieval/retrieval.service';
import { SpellingRepository } from './search/spelling.repository';
import { SpellingCorrector } from './retrieval/question/spelling-corrector';
import { PassageRepository } from './search/passage.repository';
import { ResidentIndexes } from './search/resident/resident-indexes';
import { ResidentRepository } from './search/resident/resident.repository';
import { SearchIndex } from './search/search-index';
import { VectorStore } from './search/vectors/vector-store';
import { VectorStoreRepository } from './search/vectors/vector-store.repository';
import { ChunkVectors } from './embedding/chunk-vectors';
import { EmbeddingCacheRepository } from './embedding/embedding-cache.repository';
import { EmbeddingSettings } from './embedding/embedding-settings';
import { GraphMaintenance } from './embedding/graph-maintenance';
import { IndexBuilder } from './embedding/index-builder';
import { VectorIndexRepository } from './embedding/vector-index.repository';
import { VectorMaintenance } from './embedding/vector-maintenance';
import { KnowledgeBaseViews } from './knowledge-base-view';
import { VectorGraphRepository } from './search/vectors/vector-graphs.repository';
import { VectorGraphs } from './search/vectors/vector-graphs';
import { KnowledgeBaseImport } from './imports/knowledge-base-import';
import { SharingService } from './sharing.service';
import { SourceFetcher } from './sources/fetching/source-fetcher';
import { SourceRefreshService } from './sources/source-refresh.service';
import { SourceRequests } from './sources/source-requests';
import { SourceSweep } from './sources/source-sweep';
import { SourcesController } from './sources/sources.controller';
import { SourcesService } from './sources/sources.service';
import { SourceRepository } from './sources/storage/source.repository';

@Module({
  imports: [ConnectorsModule, ExtractionModule, FilesModule, MeteringModule, OrganizationsModule, RowCacheModule],
  // First, because `/external` would match the route of one knowledge base.
  controllers: [
    ExternalCollectionsController,
    KnowledgeBasesController,
    DocumentsController,
    QueryController,
    JudgementsController,
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
    EvaluationService,
    JudgementRepository,
    JudgementsService,
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
    KnowledgeBasePurge,
    KnowledgeBasesService,
    QuestionRewriter,
    RetrievalService,
    SourceLinks,
    VectorStore,
  ],
})
export class KnowledgeBasesModule {}
