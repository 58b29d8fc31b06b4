export { CallDeadline } from './call-deadline';
export { BodyPump, type ChunkReader, callModel, streamModel } from './call-model';
export { MAX_BODY, type ModelPost, ModelTransport, badResponse, jsonOf, truncated } from './model-transport';
export { type SseEvent, SseReader } from './sse-reader';
export { UpstreamFailure, errorInAnswer, failureOfTransport, finalError } from './upstream-failure';
