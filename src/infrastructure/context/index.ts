export {
  type Attribute,
  type Attributes,
  Span,
  SPAN_KINDS,
  type SpanKind,
  type SpanOptions,
  type SpanSink,
} from './span';
export { readTraceparent, type SpanContext, writeTraceparent } from './traceparent';
export {
  addToTrail,
  currentSpan,
  currentTrail,
  inSpan,
  type Reach,
  reachOfWork,
  setReach,
  traceHeaders,
  type Trail,
  withoutTrail,
  withReach,
  withTrail,
} from './work-context';
