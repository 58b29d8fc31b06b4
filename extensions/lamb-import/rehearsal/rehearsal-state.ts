import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { AppError, isJsonObject } from '../../../src/kernel';
import { OUTCOMES, type RehearsedPair, type RehearsedQuestion } from './rehearsal.types';

const FORMAT = 1;

export interface StateHeader {
  readonly address: string;
  readonly source: string;
}

const keyOf = ({ assistant, text }: RehearsedQuestion): string =>
  `${assistant} ${createHash('sha256').update(text).digest('hex')}`;

const refused = (file: string, why: string): AppError =>
  new AppError('conflict', `${file} ${why}; give another --report, or remove that file to begin again`);

/**
 * The results so far, as JSON lines: a header, then one line for each pair. A line is appended after each question, so
 * that a killed rehearsal continues; a torn last line is dropped.
 */
export class RehearsalState {
  private readonly pairs = new Map<string, RehearsedPair>();

  /** @throws {AppError} `conflict` for the state of another rehearsal, or for no state file */
  constructor(
    private readonly file: string,
    header: StateHeader,
    readonly startedAt = new Date().toISOString(),
  ) {
    if (!existsSync(file)) {
      const line = JSON.stringify({ rehearsal: FORMAT, ...header, started_at: startedAt });
      writeFileSync(file, `${line}\n`, { mode: 0o600, flag: 'wx' });
      return;
    }
    const text = readFileSync(file, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const [first = '', ...lines] = whole.split('\n');
    this.startedAt = startOf(file, parsed(first), header);
    for (const line of lines.filter((each) => each !== '')) {
      const pair = pairOf(parsed(line));
      if (pair === null) throw refused(file, 'holds a line that is no result of a rehearsal');
      this.pairs.set(keyOf({ assistant: pair.assistant, text: pair.question }), pair);
    }
    if (whole.length < text.length) truncateSync(file, Buffer.byteLength(whole));
  }

  find(question: RehearsedQuestion): RehearsedPair | null {
    return this.pairs.get(keyOf(question)) ?? null;
  }

  add(pair: RehearsedPair): void {
    this.pairs.set(keyOf({ assistant: pair.assistant, text: pair.question }), pair);
    appendFileSync(this.file, `${JSON.stringify(pair)}\n`);
  }
}

function startOf(file: string, header: unknown, wanted: StateHeader): string {
  if (!isJsonObject(header) || header['rehearsal'] !== FORMAT) throw refused(file, 'is no state of a rehearsal');
  if (header['address'] !== wanted.address || header['source'] !== wanted.source)
    throw refused(file, `belongs to a rehearsal with another LAMB or --source`);
  return String(header['started_at']);
}

function pairOf(value: unknown): RehearsedPair | null {
  if (!isJsonObject(value)) return null;
  const { assistant, question, outcome, reasons, diff } = value;
  const isPair =
    typeof assistant === 'number' &&
    typeof question === 'string' &&
    OUTCOMES.some((each) => each === outcome) &&
    Array.isArray(reasons) &&
    Array.isArray(diff);
  return isPair ? (value as unknown as RehearsedPair) : null;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
