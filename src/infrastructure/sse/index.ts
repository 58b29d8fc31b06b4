export { drained } from './drained';
export { Heartbeat } from './heartbeat';
export { commentFrame, dataFrame, SseStream } from './sse-stream';
