export {
  type Connector,
  type ConnectorCapabilities,
  type ConnectorDefinition,
  type EchoedMembers,
  type EmbeddingAbility,
  type EmbeddingPurpose,
  type EmbeddingRequest,
  type EmbeddingWire,
  type FunctionCallDelta,
  type ListedModel,
  type ModelAnswer,
  type ModelCallContext,
  type ModelChunk,
  type ModelImage,
  type ModelRequest,
  type ModelsWire,
  type ModelTarget,
  type QuotableMaterial,
  type TakeChunks,
  type VendorAccess,
} from '@bellwether/plugin';
export { CONNECTORS, CONNECTORS_IN_USE, EMBEDDING_PROVIDERS } from './connector.token';
export * from './connector-plugin.types';
export { ReaderLeft } from './reader-left';
