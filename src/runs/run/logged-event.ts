import type { RunEvent, StampedRunEvent } from '../../kernel';
import type { LoggedEvent } from './run-log.types';

/** Serialises an event once, for the log and all readers. */
export const loggedEvent = (event: StampedRunEvent): LoggedEvent => ({
  seq: event.seq,
  type: event.type,
  at: event.at,
  data: JSON.stringify(event),
});

export const isTerminal = ({ type }: { readonly type: RunEvent['type'] }): boolean =>
  type === 'run.completed' || type === 'run.failed' || type === 'run.cancelled';
