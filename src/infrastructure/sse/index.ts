export { Heartbeat, SseStream, commentFrame, dataFrame, drained } from './sse-stream';
