import type { BoundedTry } from '../../kernel';
import type { Config } from '../../infrastructure/config';
import type { Call } from '../calls/call';
import { TryTimeout } from '../calls/deadline';
import { kindOf } from '../calls/failure-kind';
import { retryText } from '../calls/tool-texts';
import { ToolFailure } from '../contract';
import { delayBefore, longestDelay } from './backoff';
import { callTimes, type CallTimes } from './call-times';
import type { LearnedTime, LearnedTimes } from './learned-times';
import type { Policy } from './policy.types';

/** Tries again after failures that may pass, while the deadline leaves time. A probe has one try. */
export const retry =
  (config: Config['tools'], history: LearnedTimes): Policy =>
  (next) =>
    async function retry(call) {
      for (;;) {
        const learned = history.of(call);
        const times = callTimes({ timeoutMs: call.request.entry.timeout_ms, baseMs: call.baseMs, learned });
        call.boundMs = boundOf(call, times, config);
        call.timeoutMs = 0;
        try {
          return await next(call);
        } catch (error) {
          const bounded = error instanceof TryTimeout && learned !== null ? boundedBy(call, learned) : null;
          if (bounded !== null) call.bounded = bounded;
          const blamed = call.timeoutMs < times.fairMs ? withoutBlame(error) : error;
          const delayMs = delayAfter(blamed, call, times, config);
          if (delayMs === null) throw blamed;
          call.retries += 1;
          tellRetry(call, delayMs, bounded);
          await call.deadline.pause(delayMs);
        }
      }
    };

const mayRetry = ({ isProbe, retries, maxRetries }: Call): boolean => !isProbe && retries < maxRetries;

/** History bounds a try only where it leaves time for another: the last one has all that is left. */
function boundOf(call: Call, { tryMs }: CallTimes, config: Config['tools']): number {
  if (!mayRetry(call)) return Infinity;
  return performance.now() + tryMs + longestDelay(config, call.retries) < call.deadline.endsAt ? tryMs : Infinity;
}

/** Milliseconds until the next try; null where there is none. */
function delayAfter(error: unknown, call: Call, { usualMs }: CallTimes, config: Config['tools']): number | null {
  const { retryable, retryAfterMs } = kindOf(error);
  if (!retryable || !mayRetry(call)) return null;
  const delayMs = retryAfterMs ?? delayBefore(config, call.retries);
  return performance.now() + delayMs + usualMs < call.deadline.endsAt ? delayMs : null;
}

/** The timeout of a try with too little time: it does not count against the server, and another try would have less. */
const withoutBlame = (error: unknown): unknown =>
  error instanceof ToolFailure && error.code === 'tool.timeout'
    ? new ToolFailure('tool.timeout', error.message, { retryable: false })
    : error;

const boundedBy = ({ timeoutMs }: Call, { longestMs, tries }: LearnedTime): BoundedTry => ({
  after_ms: timeoutMs,
  longest_ms: Math.round(longestMs),
  tries,
});

function tellRetry({ request, retries }: Call, delayMs: number, bounded: BoundedTry | null): void {
  const { ref, invocation } = request;
  invocation.emit({
    type: 'tool.retry',
    ...ref,
    attempt: retries + 1,
    delay_ms: delayMs,
    ...(bounded === null ? {} : { bounded }),
    message: retryText(ref.plugin, retries, delayMs, bounded),
  });
}
