import { Logger } from '@nestjs/common/services/logger.service.js';
import { Client, type ClientConfig } from 'pg';
import { type Span, currentSpan } from '../../context';
import { isDiskFull, isReadOnlyServer } from './postgres-errors';

const OPERATION = /^[\s(]*([a-z]+)/i;
const TABLE = /\b(?:from|into|update|join)\s+"?(?:[a-z_]+"?\."?)?([a-z_]+)/i;

/** `SELECT runs`: the operation and the first table, never the text. */
export function statementSummary(text: string): string {
  const operation = OPERATION.exec(text)?.[1]?.toUpperCase() ?? 'SQL';
  const table = TABLE.exec(text)?.[1];
  return table === undefined ? operation : `${operation} ${table}`;
}

/** Adds the span of a statement that has ended. */
function recordStatement(parent: Span, text: string, startedAt: number, error: unknown): void {
  const summary = statementSummary(text);
  const [operation, table] = summary.split(' ');
  const attributes = {
    'db.system.name': 'postgresql',
    'db.query.summary': summary,
    'db.operation.name': operation,
    'db.collection.name': table,
  };
  const span = parent.child({ name: summary, kind: 'client', attributes, startedAt });
  if (span === null) return;
  if (error !== null) {
    const code = (error as { code?: unknown } | null)?.code;
    span.set({ 'db.response.status_code': typeof code === 'string' ? code : null });
    span.fail(typeof code === 'string' ? code : 'unknown');
  }
  span.end();
}

/** The message of `pg` for a query that ran into its client-side timeout. */
const READ_TIMEOUT = 'Query read timeout';
const SLOW_STATEMENT_MS = 1_000;
const LONGEST_STATEMENT = 500;

/** A statement that was refused for lack of space tells for this long that the disk is full. */
const NO_SPACE_MS = 60_000;

const logger = new Logger('Database');
let noSpaceAt = -Infinity;

/** True when the database has refused to write within the last minute, because its disk is full. */
export const databaseLacksSpace = (): boolean => performance.now() - noSpaceAt < NO_SPACE_MS;

/**
 * Adds an error listener to the pool's client: between pool and query runner a client briefly has none, and an error
 * would end the process. Logs slow statements.
 */
export class SafeClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    this.on('error', () => undefined);
    const query = this.query.bind(this) as (...given: unknown[]) => unknown;
    this.query = ((...given: unknown[]) => {
      const answer = query(...given);
      if (answer instanceof Promise) this.observe(given[0], answer);
      return answer;
    }) as Client['query'];
  }

  /** Follows a statement to its end. */
  protected observe(statement: unknown, answer: Promise<unknown>): void {
    const startedAt = performance.now();
    const parent = currentSpan();
    answer.then(
      () => {
        noteSlow(statement, startedAt);
        if (parent !== null) recordStatement(parent, textOf(statement), startedAt, null);
      },
      (error: unknown) => {
        noteSlow(statement, startedAt);
        if (parent !== null) recordStatement(parent, textOf(statement), startedAt, error);
        if (isDiskFull(error)) noSpaceAt = performance.now();
        this.dropIfUseless(error);
      },
    );
  }

  /**
   * After a timeout the query still occupies the connection: a `ROLLBACK` behind it would wait for a second timeout. After
   * a failover, only a new connection leads to the server that accepts writes.
   */
  private dropIfUseless(error: unknown): void {
    const isTimeout = error instanceof Error && error.message === READ_TIMEOUT;
    if (isTimeout || isReadOnlyServer(error)) this.end().catch(() => undefined);
  }
}

function textOf(statement: unknown): string {
  const text = typeof statement === 'string' ? statement : (statement as { text?: unknown } | undefined)?.text;
  return typeof text === 'string' ? text : '';
}

/** Logs the text alone: parameters are personal data and secrets. */
function noteSlow(statement: unknown, startedAt: number): void {
  const tookMs = performance.now() - startedAt;
  if (tookMs < SLOW_STATEMENT_MS) return;
  const shown = textOf(statement).replace(/\s+/g, ' ').trim().slice(0, LONGEST_STATEMENT);
  logger.warn({ msg: 'slow statement', duration_ms: Math.round(tookMs), statement: shown });
}
