import {
  backendFrames,
  copyFail,
  errorResponse,
  type FrontendMessage,
  HEADER,
  readCstring,
  readError,
  type TransactionStatus,
} from './messages';
import type { ExpectedAnswer, SessionStatements } from './statements';

export interface Request {
  readonly messages: Buffer;
  readonly texts: readonly string[];
  readonly expected: readonly ExpectedAnswer[];
}

export interface Answer {
  /** Parts of the answer for the client, in order. */
  readonly parts: readonly Buffer[];
  /** Null when the turn is not over. */
  readonly status: TransactionStatus | null;
  /** First words of the commands that completed: SELECT, SET, DISCARD ALL … */
  readonly tags: readonly string[];
  readonly notifications: readonly Buffer[];
  readonly failed: boolean;
}

const COPY_REFUSED = 'COPY FROM STDIN is not supported by the embedded database';

export const mayCopyIn = (sql: string): boolean => /\bcopy\b/i.test(sql) && /\bstdin\b/i.test(sql);

/** Rewrites the client's messages for the engine. `guardCopy` tells whether a COPY FROM STDIN may be among them. */
export function toRequest(
  batch: readonly FrontendMessage[],
  statements: SessionStatements,
  guardCopy: (texts: readonly string[]) => boolean,
): Request {
  const texts = batch.flatMap(textOf);
  const guarded = guardCopy(texts);
  const frames: Buffer[] = [];
  const expected: ExpectedAnswer[] = [];
  for (const message of batch) {
    const rewritten = statements.rewrite(message);
    frames.push(...rewritten.frames);
    expected.push(...rewritten.expected);
    // The engine would wait for copy data for ever. Outside a COPY it ignores this message.
    if (guarded && (message.type === 'Q' || message.type === 'E')) frames.push(copyFail(COPY_REFUSED));
  }
  return { messages: Buffer.concat(frames), texts, expected };
}

function textOf({ type, frame }: FrontendMessage): string[] {
  if (type === 'Q') return [readCstring(frame, HEADER).text];
  if (type === 'P') return [readCstring(frame, readCstring(frame, HEADER).end).text];
  return [];
}

/** Removes from the engine's answer what the client did not ask for. Empties `expected`. */
export function fromAnswer(answer: Buffer, expected: ExpectedAnswer[]): Answer {
  const parts: Buffer[] = [];
  const tags: string[] = [];
  const notifications: Buffer[] = [];
  let status: TransactionStatus | null = null;
  let failed = false;
  let kept = 0;
  const cut = (start: number, end: number, ...instead: Buffer[]): void => {
    if (start > kept) parts.push(answer.subarray(kept, start));
    parts.push(...instead);
    kept = end;
  };
  for (const part of backendFrames(answer)) {
    const { type, start, end } = part;
    switch (type) {
      case '1':
      case '3':
        if (settle(expected)) cut(start, end);
        break;
      case 'A':
        notifications.push(answer.subarray(start, end));
        cut(start, end);
        break;
      case 'C':
        tags.push(readCstring(answer, start + HEADER).text);
        break;
      case 'E':
        failed = true;
        expected.length = 0;
        if (readError(answer, part).message.endsWith(COPY_REFUSED)) cut(start, end, copyRefused());
        break;
      case 'G':
        cut(start, end);
        break;
      case 'Z':
        status = answer.toString('latin1', start + HEADER, end) as TransactionStatus;
        break;
    }
  }
  cut(answer.length, answer.length);
  return { parts, status, tags, notifications, failed };
}

/** Settles one ParseComplete or CloseComplete; true when the client must not see it. */
function settle(expected: ExpectedAnswer[]): boolean {
  const next = expected.shift();
  next?.onSuccess();
  return next?.hidden ?? false;
}

const copyRefused = (): Buffer =>
  errorResponse({ severity: 'ERROR', code: '0A000', message: COPY_REFUSED, hint: 'Insert rows in batches instead.' });
