export { RERANK_DIALECT_PLUGINS, type RawScore, type RerankDialect, type RerankRequest } from './rerank-dialects';
export {
  TRANSLATION_DIALECT_PLUGINS,
  type TranslationCall,
  type TranslationDialect,
  type TranslationRequest,
} from './translation-dialects';
