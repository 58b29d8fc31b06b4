import { Query, type QueryConfig } from 'pg';

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

type Callback = (error: Error | null, result: unknown) => void;
const BaseQuery = Query as unknown as new (config: object, values: unknown, callback: Callback) => InternalQuery;

/**
 * A statement that is preceded by another one without columns of interest. Both are sent together and end with one Sync,
 * so they are one transaction and one round trip.
 */
export class ScopedQuery extends BaseQuery {
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
