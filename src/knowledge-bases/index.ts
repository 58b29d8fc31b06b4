export type { StoredUpload } from './documents/document-store';
export { DocumentsService } from './documents/documents.service';
export { SourceLinks } from './documents/source-links';
export { hybridWeightOf } from './embedding/embedding-settings';
export { CollectionImport, type ImportedCollection } from './external-collections.service';
export { KnowledgeBaseImport, type NewSource } from './knowledge-base-import';
export { KnowledgeBasePurge } from './knowledge-base-store';
export type { CreateKnowledgeBaseDto } from './knowledge-base.dto';
export { KnowledgeBasesModule } from './knowledge-bases.module';
export { KnowledgeBasesService } from './knowledge-bases.service';
export {
  CollectionNames,
  externalReference,
  isSlugReference,
  isUnbound,
  referenceInWords,
  referenceName,
  unboundReference,
} from './retrieval/collection-references';
export { ExternalProbe } from './retrieval/external-search';
export { isFirstQuestion, isSmallTalk } from './retrieval/question/follow-up';
export {
  QuestionRewriter,
  type QuestionToRewrite,
  type RewrittenQuestion,
} from './retrieval/question/question-rewriter';
export { FUNCTION_WORDS, wordsOf } from './retrieval/question/question-words';
export { AS_ASKED, RetrievalService } from './retrieval/retrieval.service';
export type { Passage, Retrieval, RetrievalQuery } from './retrieval/retrieval.types';
export { DEFAULT_MAX_TOKENS } from './retrieval/select-passages';
export { chunkHash } from './search/chunk.types';
export { searchConfiguration, termsOf } from './search/searchable-text';
export { VectorStore } from './search/vector-store';
export { knowledgeBaseSpace } from './storage/document-scope.repository';
export { KnowledgeBaseEntity } from './storage/knowledge-base.entity';
export { KnowledgeBasePermissions } from './storage/knowledge-base.permissions';
export { KnowledgeBaseRepository } from './storage/knowledge-base.repository';
export { RETRIEVAL_MODES, type RetrievalMode } from './storage/knowledge-base.types';
