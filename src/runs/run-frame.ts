import type { RunEvent, StampedRunEvent } from '../kernel';
import type { LoggedEvent } from './run-log.types';

/** The text of an event, made once for log and wire alike. */
export const loggedEvent = (event: StampedRunEvent): LoggedEvent => ({
  seq: event.seq,
  type: event.type,
  at: event.at,
  data: JSON.stringify(event),
});

/** WHATWG "Server-sent events", 9.2.6; `data` is one line, as JSON.stringify writes it. */
export const frameOf = ({ seq, type, data }: LoggedEvent): string => `id: ${seq}\nevent: ${type}\ndata: ${data}\n\n`;

export const isTerminal = ({ type }: { readonly type: RunEvent['type'] }): boolean =>
  type === 'run.completed' || type === 'run.failed' || type === 'run.cancelled';
