export { readTraceparent, type SpanContext, writeTraceparent } from './traceparent';
export {
  addToTrail,
  currentTrail,
  type Reach,
  reachOfWork,
  setReach,
  type Trail,
  withoutTrail,
  withReach,
  withTrail,
} from './work-context';
