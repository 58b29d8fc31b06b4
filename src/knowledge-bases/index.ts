export { DocumentsService } from './documents/documents.service';
export { SourceLinks } from './documents/source-links';
export {
  type CollectionPassages,
  type DocumentView,
  type KnowledgeBaseView,
  type NewKnowledgeBase,
  type Passage,
  type Retrieval,
  RETRIEVAL_MODES,
  type RetrievalMode,
  type RetrievalQuery,
} from './knowledge-base.types';
export { KnowledgeBasesModule } from './knowledge-bases.module';
export { KnowledgeBasesService } from './knowledge-bases.service';
