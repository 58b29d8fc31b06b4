export * from './contract';
export { ConnectorsModule } from './connectors.module';
export { AUTO, type ConnectorListing, ConnectorsService, type ResolvedModel } from './connectors.service';
export { callId, MAX_CALLS } from './shapes';
export { DEFAULT_CALL_LIMITS, MODEL_CALL_LIMITS, type ModelCallLimits } from './transport';
export { isKnownEmbeddingModel } from './embeddings/embedding-models';
export { type EmbeddingJob, EmbeddingsService } from './embeddings.service';
export { type StructuredAnswer, StructuredAnswers, type StructuredQuestion } from './structured';
