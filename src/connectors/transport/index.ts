export { BodyPump } from './body-pump';
export { CallDeadline } from './call-deadline';
export { badResponse, jsonOf, MAX_BODY, type ModelPost, ModelTransport, truncated } from './model-transport';
export { callModel, streamModel, type ChunkReader } from './call-model';
export { SseReader, type SseEvent } from './sse-reader';
export { errorInAnswer, failureOfTransport, finalError, UpstreamFailure } from './upstream-failure';
