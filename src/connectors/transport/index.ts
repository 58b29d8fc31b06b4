export { CallDeadline } from './call-deadline';
export {
  type ChunkReader,
  MAX_BODY,
  type ModelPost,
  ModelTransport,
  StreamSink,
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
