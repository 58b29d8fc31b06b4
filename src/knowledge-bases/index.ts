export { DocumentsService } from './documents/documents.service';
export { SourceLinks } from './documents/source-links';
export { ExternalProbe } from './retrieval/collections/external-probe.service';
export { CollectionImport, type ImportedCollection } from './external/collection-import';
export { KnowledgeBaseImport, type NewSource } from './imports/knowledge-base-import';
export type { StoredUpload } from './documents/document-store';
export type { CreateKnowledgeBaseDto } from './knowledge-base.dto';
export { RETRIEVAL_MODES, type RetrievalMode } from './storage/knowledge-base.types';
export { KnowledgeBasePurge } from './knowledge-base-purge';
export { knowledgeBaseSpace } from './storage/document-space';
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
} from './retrieval/collections/collection-names';
export {
  QuestionRewriter,
  type QuestionToRewrite,
  type RewrittenQuestion,
} from './retrieval/question/question-rewriter';
export { isFirstQuestion } from './retrieval/question/follow-up';
export { FUNCTION_WORDS, wordsOf } from './retrieval/question/question-words';
export { isSmallTalk } from './retrieval/question/small-talk';
export { RetrievalService } from './retrieval/retrieval.service';
export { AS_ASKED } from './retrieval/question/searched-question';
export type { Passage, Retrieval, RetrievalQuery } from './retrieval/passages/retrieval.types';
export { DEFAULT_MAX_TOKENS } from './retrieval/passages/token-budget';
export { searchConfiguration } from './search/words/language';
export { termsOf } from './search/words/terms';
export { VectorStore } from './search/vectors/vector-store';
