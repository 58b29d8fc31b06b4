export * from './contract';
export { ConnectorsModule } from './connectors.module';
export { AUTO, type ConnectorListing, ConnectorsService, type ResolvedModel } from './connectors.service';
export { callId, fixedAnswer, MAX_CALLS } from './vendor';
export { isMultilingualEmbedding, ranksWellIn } from './embeddings/embedding-models';
export { type EmbeddingJob, EmbeddingsService } from './embeddings.service';
export { ProviderProbes } from './provider-probes.service';
export { VENDORS } from './vendors';
export { type StructuredAnswer, StructuredAnswers, type StructuredQuestion, UnfitAnswer } from './structured';
