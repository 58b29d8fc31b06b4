import { atMost } from '@bellwether/kernel';
import { type Reach, reachOfWork, setReach, withReach } from '../../context';
import { Logger } from '@nestjs/common/services/logger.service.js';
import { LRUCache } from 'lru-cache';
import { type Client, type ClientConfig, Query, type QueryConfig } from 'pg';
import { ORGANIZATION_SETTING, SERVICE_ROLE, TENANT_ROLE } from './enforce';
import { SafeClient } from './safe-client';

/** Work that legitimately reads or writes rows of several organizations, each with its reason. */
export const CROSSINGS = {
  'sign-in': 'A credential, a link or an account is found before its organization is known.',
  directory: 'Organizations are found by their name or id, and people by their address.',
  'system administration': 'System administrators manage every organization.',
  calls: 'Assistants are called from other organizations, where theirs has published them.',
  start: 'The first start makes the first organization.',
  commands: 'Commands of the operator serve all organizations.',
  jobs: 'Queues, leases and sweeps of the service serve all organizations.',
  figures: 'Sizes and queues are those of the whole installation.',
  batches: 'Counters, run records and events of several organizations are written together.',
  search: 'Ids are found by a part of a text; their rows are read within the organization.',
  secrets: 'The operator key wraps the data keys of all organizations.',
  import: 'An import from LAMB brings several organizations.',
} as const;
export type Crossing = keyof typeof CROSSINGS;

/** The statements of `work` see the rows of one organization. */
export const withinOrganization = <T>(organizationId: string, work: () => T): T => withReach({ organizationId }, work);

/** The statements of `work` see the rows of every organization. Few places may do this: docs/contributing/database.md. */
export const acrossOrganizations = <T>(crossing: Crossing, work: () => T): T => withReach({ crossing }, work);

/** The statements of the method see the rows of every organization. */
export const AcrossOrganizations =
  (crossing: Crossing) =>
  <Given extends unknown[], Answer>(
    _class: object,
    _name: string,
    descriptor: TypedPropertyDescriptor<(...given: Given) => Promise<Answer>>,
  ): void => {
    const { value: method } = descriptor;
    if (method === undefined) throw new Error('Only methods reach across organizations');
    descriptor.value = function (...given: Given): Promise<Answer> {
      return acrossOrganizations(crossing, () => method.apply(this, given));
    };
  };

/** The statements of `work` see no row of an organization until `bindReach`. For a request. */
export const withoutOrganization = <T>(work: () => T): T => withReach(null, work);

/** Sets the reach of the current request once its caller is known; outside a request, of all that follows. */
export const bindReach = (reach: NonNullable<Reach>): void => setReach(reach);

export const currentReach = reachOfWork;
export type { Reach };

/** Rows that a statement or a transaction has changed. */
export interface Write {
  readonly tables: ReadonlySet<string>;
  /** null: rows of several organizations. */
  readonly organizationId: string | null;
}

export type WriteHandler = (write: Write) => void;

/** Also matches words that are no table, such as `skip` in `FOR UPDATE SKIP LOCKED`: they have no handler. */
const WRITE =
  /\b(?:insert\s+into|merge\s+into|update|delete\s+from|truncate(?:\s+table)?|copy)\s+(?:only\s+)?"?([a-z_]+)/gi;
const READ = /^\s*select\b/i;
const MOST_TEXTS = 500;

/** Tells handlers, after the commit, which tables a pool has written. It does not see cascades of foreign keys. */
export class TableWrites {
  private readonly handlers = new Set<WriteHandler>();

  on(handler: WriteHandler): void {
    this.handlers.add(handler);
  }

  emit(write: Write): void {
    for (const handler of this.handlers) handler(write);
  }
}

/** Collects what the statements of one connection write. */
export class WriteObserver {
  private tables = new Set<string>();
  private organizations = new Set<string | null>();

  constructor(private readonly writes: TableWrites) {}

  /** Notes a statement that has ended. Inside a transaction, handlers hear of it when the transaction ends. */
  ended(text: string, reach: Reach, isInTransaction: boolean): void {
    const written = tablesWritten(text);
    for (const table of written) this.tables.add(table);
    if (written.length > 0)
      this.organizations.add(reach !== null && 'organizationId' in reach ? reach.organizationId : null);
    if (isInTransaction || this.tables.size === 0) return;
    const { tables, organizations } = this;
    this.tables = new Set();
    this.organizations = new Set();
    const [only = null] = organizations;
    this.writes.emit({ tables, organizationId: organizations.size === 1 ? only : null });
  }
}

const known = new LRUCache<string, readonly string[]>(atMost(MOST_TEXTS));

function tablesWritten(text: string): readonly string[] {
  if (READ.test(text)) return [];
  const found = known.get(text);
  if (found !== undefined) return found;
  const tables = [...new Set([...text.matchAll(WRITE)].map(([, name = '']) => name.toLowerCase()))];
  known.set(text, tables);
  return tables;
}

/** The parts of `pg` that are not in its types. */
interface Connection {
  readonly submittedNamedStatements: Record<string, unknown>;
  parse(statement: { text: string }): void;
  bind(portal: { values: readonly string[] }): void;
  execute(portal: { portal: string }): void;
}

interface InternalQuery {
  name: string | undefined;
  prepare(connection: Connection): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleError(error: Error, connection: Connection): void;
}
const BaseQuery = Query as unknown as new (config: object, values: unknown, callback: Callback) => InternalQuery;

/**
 * A statement that is preceded by another one without columns of interest. Both are sent together and end with one Sync,
 * so they are one transaction and one round trip.
 */
class ScopedQuery extends BaseQuery {
  private readonly ownName: string | undefined;
  private first = true;

  constructor(
    config: QueryConfig,
    private readonly scope: { readonly text: string; readonly values: readonly string[] },
    callback: Callback,
  ) {
    super({ ...config, queryMode: 'extended' }, undefined, callback);
    this.ownName = config.name;
  }

  override prepare(connection: Connection): void {
    connection.parse({ text: this.scope.text });
    connection.bind({ values: this.scope.values });
    connection.execute({ portal: '' });
    super.prepare(connection);
    // `pg` takes the next ParseComplete for that of a named statement, and the first one is not.
    this.name = undefined;
  }

  override handleDataRow(message: unknown): void {
    if (!this.first) super.handleDataRow(message);
  }

  override handleError(error: Error, connection: Connection): void {
    if (this.first && this.ownName !== undefined) delete connection.submittedNamedStatements[this.ownName];
    super.handleError(error, connection);
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    if (!this.first) return super.handleCommandComplete(message, connection);
    this.first = false;
    this.name = this.ownName;
  }
}

const SCOPE = `SELECT set_config('role', $1, true), set_config('${ORGANIZATION_SETTING}', $2, true)`;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const BEGIN = /^\s*(?:begin|start\s+transaction)\b/i;
const END = /^\s*(?:commit|rollback|end|abort)\b/i;
const TABLE = /\b(?:from|join|into|update)\s+"?([a-z_]+)"?/gi;

/** Shared by the connections of a pool. */
export interface RowSecurity {
  /** False until roles and policies are known to be there. */
  enforced: boolean;
  /** Tables with rows of organizations. */
  tables: ReadonlySet<string>;
  readonly writes: TableWrites;
}

type Callback = (error: Error | null, result: unknown) => void;
type Given = [config: string | QueryConfig, values?: unknown[] | Callback, callback?: Callback];

/**
 * Binds every statement to the reach of its asynchronous context: a transaction when it begins, a statement outside
 * transactions by a statement before it. Only settings of a transaction are used, so a pooler may share connections.
 */
class ScopedClient extends SafeClient {
  private readonly log = new Logger('Database');
  private readonly submit: (query: ScopedQuery) => unknown;
  private readonly observer: WriteObserver;
  /** Settings of the open transaction; null when unknown. */
  private inForce: string | null = null;

  constructor(
    config: string | ClientConfig | undefined,
    private readonly security: RowSecurity,
  ) {
    super(config);
    this.observer = new WriteObserver(security.writes);
    this.submit = this.query.bind(this);
    const plain = this.query.bind(this) as (...given: Given) => unknown;
    this.query = ((...given: Given) => {
      const answer = this.security.enforced ? this.scoped(given, plain) : plain(...given);
      this.watchEnd(given, answer);
      return answer;
    }) as Client['query'];
  }

  /** Handlers of writes run before the caller of the statement continues. */
  private watchEnd([config]: Given, answer: unknown): void {
    const reach = currentReach();
    const ended = (): void =>
      this.observer.ended(typeof config === 'string' ? config : config.text, reach, this.isInTransaction);
    if (answer instanceof Promise) answer.then(ended, ended);
    else ended();
  }

  private scoped(given: Given, plain: (...given: Given) => unknown): unknown {
    const [config, second, third] = given;
    const text = typeof config === 'string' ? config : config.text;
    const reach = currentReach();
    if (BEGIN.test(text)) {
      this.inForce = keyOf(reach);
      return plain(`${text}; ${localSettings(reach)}`, ...(given.slice(1) as [Callback]));
    }
    if (END.test(text)) {
      // A rollback to a savepoint restores its settings, too.
      this.inForce = null;
      return plain(...given);
    }
    if (reach === null) this.notice(text);
    if (this.isInTransaction) {
      if (this.inForce === keyOf(reach)) return plain(...given);
      this.inForce = keyOf(reach);
    }
    const values = Array.isArray(second) ? { values: second } : {};
    const asked = { ...(typeof config === 'string' ? { text } : config), ...values };
    const answer = this.ask(asked, settingsOf(reach));
    const callback = typeof second === 'function' ? second : third;
    if (callback === undefined) return answer;
    answer.then(
      (result) => callback(null, result),
      (error: unknown) => callback(error as Error, undefined),
    );
    return undefined;
  }

  private get isInTransaction(): boolean {
    // Not in the types of `pg`: `I` outside transactions, `T` inside, `E` after an error.
    const client = this as unknown as { getTransactionStatus(): 'I' | 'T' | 'E' | null };
    return ['T', 'E'].includes(client.getTransactionStatus() ?? 'I');
  }

  private ask(config: QueryConfig, values: readonly string[]): Promise<unknown> {
    const answer = new Promise((resolve, reject) => {
      const settle: Callback = (error, result) => (error === null ? resolve(result) : reject(error));
      this.submit(new ScopedQuery(config, { text: SCOPE, values }, settle));
    });
    this.observe(config, answer);
    return answer;
  }

  /** A defect: the statement sees no row of any organization. */
  private notice(text: string): void {
    const tables = [...text.matchAll(TABLE)].map(([, name = '']) => name.toLowerCase());
    const missed = [...new Set(tables.filter((name) => this.security.tables.has(name)))];
    if (missed.length === 0) return;
    const statement = text.replace(/\s+/g, ' ').slice(0, 200);
    const { stack } = new Error('no organization');
    this.log.error({
      msg: 'a statement sees no rows, because no organization is set',
      tables: missed,
      statement,
      stack,
    });
  }
}

/** Class of the connections of one pool. */
export const scopedClient = (security: RowSecurity): new (config?: string | ClientConfig) => Client =>
  class extends ScopedClient {
    constructor(config?: string | ClientConfig) {
      super(config, security);
    }
  };

const keyOf = (reach: Reach): string => settingsOf(reach).join(' ');

function settingsOf(reach: Reach): readonly [role: string, organization: string] {
  if (reach === null) return [TENANT_ROLE, ''];
  return 'crossing' in reach ? [SERVICE_ROLE, ''] : [TENANT_ROLE, reach.organizationId];
}

function localSettings(reach: Reach): string {
  const [role, organization] = settingsOf(reach);
  if (organization !== '' && !UUID.test(organization)) throw new Error('An organization has a UUID');
  return `SET LOCAL ROLE ${role}; SET LOCAL ${ORGANIZATION_SETTING} = '${organization}'`;
}
