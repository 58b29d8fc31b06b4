import { backendFrames, query, readError, readRow } from './messages';

type Setting = readonly [name: string, value: string];

/** One session's own settings: those of its start-up message, then whatever it has SET. */
export interface SessionSettings {
  values: readonly Setting[];
  /** It has run a SET since `values` was read. */
  changed: boolean;
  closed: boolean;
}

export class SettingsError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const READ = `
  SELECT name, setting FROM pg_settings WHERE source = 'session'
  UNION ALL SELECT 'session_authorization', session_user WHERE session_user <> 'postgres'
  UNION ALL SELECT 'role', current_setting('role') WHERE current_setting('role') <> 'none'`;

const RESET = 'RESET SESSION AUTHORIZATION; RESET ROLE; RESET ALL';

/**
 * Gives every session its own settings in an engine that has one set of them. It costs nothing as long as nobody uses
 * SET outside a transaction: the engine is touched only when the next session wants something else than it has.
 */
export class SettingsSwitch {
  private owner: SessionSettings | null = null;
  private inForce: string | null = keyOf([]);

  constructor(private readonly ask: (messages: Buffer) => Promise<Buffer>) {}

  /** Called whenever a session gets the engine, outside any transaction. */
  async enter(session: SessionSettings): Promise<void> {
    if (this.owner === session) return;
    await this.readBack();
    this.owner = null;
    const wanted = keyOf(session.values);
    if (wanted !== this.inForce) {
      this.inForce = null;
      await this.apply(session.values);
      this.inForce = wanted;
    }
    this.owner = session;
  }

  private async readBack(): Promise<void> {
    const { owner } = this;
    if (!owner?.changed) return;
    if (owner.closed) {
      this.inForce = null;
      return;
    }
    const answer = await this.ask(query(READ));
    owner.values = [...backendFrames(answer)]
      .filter(({ type }) => type === 'D')
      .map((row) => readRow(answer, row))
      .map(([name, value]) => [name ?? '', value ?? '']);
    owner.changed = false;
    this.inForce = keyOf(owner.values);
  }

  private async apply(values: readonly Setting[]): Promise<void> {
    const calls = values.map(([name, value]) => `set_config(${literal(name)}, ${literal(value)}, false)`);
    const answer = await this.ask(query(calls.length > 0 ? `${RESET}; SELECT ${calls.join(', ')}` : RESET));
    for (const part of backendFrames(answer)) {
      if (part.type !== 'E') continue;
      const { code, message } = readError(answer, part);
      throw new SettingsError(code, message);
    }
  }
}

const keyOf = (values: readonly Setting[]): string => JSON.stringify(values);

/** Safe because RESET ALL has just restored standard_conforming_strings. */
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
