export { CallDeadline } from './upstream-failure';
export {
  BodyPump,
  type ChunkReader,
  MAX_BODY,
  type ModelPost,
  ModelTransport,
  badResponse,
  callModel,
  jsonOf,
  streamModel,
  truncated,
} from './call-model';
export { connectorFault, inConnector } from './connector-fault';
export type { AnswerHead, AnswerSink } from './exchange';
export { type SseEvent, SseReader } from './sse-reader';
export { UpstreamFailure, errorInAnswer, failureOfTransport, finalError } from './upstream-failure';
