export { ConnectorsModule } from './connectors.module';
export type { ConnectorDto } from './connectors.dto';
export { AUTO, ConnectorsService, type ResolvedModel } from './connectors.service';
export * from './contract';
export { type EmbeddingJob, EmbeddingsService, isMultilingualEmbedding, ranksWellIn } from './embeddings.service';
export { ProviderProbes } from './provider-probes.service';
export { RerankerService } from './reranker.service';
export {
  type StructuredAnswer,
  StructuredAnswers,
  type StructuredQuestion,
  UnfitAnswer,
} from './structured-answers.service';
export { TranslatorService } from './translator.service';
export { callId, fixedAnswer, splitThoughts } from './vendor';
export { VENDORS, vendorsWith } from './vendors';
export { CONNECTOR_NAMES } from './catalog';
