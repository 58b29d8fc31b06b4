import type { Span } from '../../context';

const OPERATION = /^[\s(]*([a-z]+)/i;
const TABLE = /\b(?:from|into|update|join)\s+"?(?:[a-z_]+"?\."?)?([a-z_]+)/i;

/** `SELECT runs`: the operation and the first table, never the text. */
export function statementSummary(text: string): string {
  const operation = OPERATION.exec(text)?.[1]?.toUpperCase() ?? 'SQL';
  const table = TABLE.exec(text)?.[1];
  return table === undefined ? operation : `${operation} ${table}`;
}

/** Adds the span of a statement that has ended. */
export function recordStatement(parent: Span, text: string, startedAt: number, error: unknown): void {
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
