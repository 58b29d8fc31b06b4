import { AsyncLocalStorage } from 'node:async_hooks';
import { type Span, writeTraceparent } from './span';

/** The rows that statements may see. Null: none of any organization. */
export type Reach = { readonly organizationId: string } | { readonly crossing: string } | null;

/** Ids that tie log lines and spans of one piece of work together. */
export interface Trail {
  readonly requestId: string | null;
  readonly runId: string | null;
  /** W3C trace id. */
  readonly traceId: string | null;
  /** The step that is under way; null while the trace is not recorded. */
  readonly span: Span | null;
}

interface Work {
  reach: Reach;
  trail: Trail | null;
}

/** One storage for all: each further one slows every promise of the process down. */
const works = new AsyncLocalStorage<Work>();

const NOWHERE: Trail = { requestId: null, runId: null, traceId: null, span: null };

export const withReach = <T>(reach: Reach, work: () => T): T =>
  works.run({ reach, trail: works.getStore()?.trail ?? null }, work);

/** Sets the reach of the current work; outside any work, of all that follows. */
export function setReach(reach: Reach): void {
  const current = works.getStore();
  if (current === undefined) works.enterWith({ reach, trail: null });
  else current.reach = reach;
}

export const reachOfWork = (): Reach => works.getStore()?.reach ?? null;

/** Runs work that a request may trigger and that belongs to none, such as a job. */
export const withoutTrail = <T>(work: () => T): T => works.run({ reach: reachOfWork(), trail: null }, work);

/** Adds ids for all that `work` does. */
export const withTrail = <T>(more: Partial<Trail>, work: () => T): T => {
  const current = works.getStore();
  return works.run({ reach: current?.reach ?? null, trail: { ...(current?.trail ?? NOWHERE), ...more } }, work);
};

/** Adds ids to the current work, such as a request. Does nothing outside any work. */
export function addToTrail(more: Partial<Trail>): void {
  const current = works.getStore();
  if (current !== undefined) current.trail = { ...(current.trail ?? NOWHERE), ...more };
}

/** Null outside requests, runs and jobs. */
export const currentTrail = (): Trail | null => works.getStore()?.trail ?? null;

/** Null while no trace is recorded. */
export const currentSpan = (): Span | null => works.getStore()?.trail?.span ?? null;

const NO_HEADERS = {};

/** Trace headers for servers of the operator and of organizations, never with `tracestate` or `baggage` of a caller. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const span = currentSpan();
  return span === null ? NO_HEADERS : { traceparent: writeTraceparent(span) };
}

/** Runs `work` inside the span; without a span it runs unchanged. */
export const inSpan = <T>(span: Span | null, work: () => T): T =>
  span === null ? work() : withTrail({ span, traceId: span.traceId }, work);
