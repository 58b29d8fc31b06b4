import { backendFrames, query, readError, readRow } from './messages';

type Setting = readonly [name: string, value: string];

export class SettingsError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const LOCAL_CALL = /\bset_config\s*\([^()]*,\s*true\s*\)/gi;
const LASTING = /\b(?:(?:set|reset)\s+(?!local\b)|set_config\b)/i;
const SETTING_TAGS = ['SET', 'RESET', 'DISCARD ALL'];
/** Settings with a dot in their name are the application's own, which PostgreSQL does not list. */
const OWN_NAME = /\b(?:set\s+(?:session\s+)?|set_config\s*\(\s*')([a-z_]\w*(?:\.\w+)+)/gi;

/** One session's own settings: those of its start-up message, then whatever it has SET. */
export class SessionSettings {
  values: readonly Setting[] = [];
  /** It may have settings that `values` does not show yet. */
  changed = false;
  closed = false;
  private readonly ownNames = new Set<string>();

  /** Judges one turn by its statements and by what they turned out to be. Costs nothing for SET LOCAL and its like. */
  observe(texts: readonly string[], tags: readonly string[]): void {
    const lasting = texts.filter((text) => LASTING.test(text.replace(LOCAL_CALL, '')));
    for (const text of lasting) for (const [, name = ''] of text.matchAll(OWN_NAME)) this.ownNames.add(name);
    const tagged = tags.some((tag) => SETTING_TAGS.includes(tag));
    const called = lasting.some((text) => /\bset_config\b/i.test(text));
    if (called || (tagged && (lasting.length > 0 || texts.length === 0))) this.changed = true;
  }

  /** What makes the engine tell them. Session authorization and role come last, as they may end the right to the rest. */
  reading(): string {
    const names = [...this.ownNames].map(literal).join(', ');
    return `
      SELECT name, setting FROM pg_settings WHERE source = 'session'
      UNION ALL
      SELECT name, current_setting(name, true) FROM unnest(ARRAY[${names}]::text[]) name
      WHERE current_setting(name, true) <> ''
      UNION ALL SELECT 'session_authorization', session_user WHERE session_user <> 'postgres'
      UNION ALL SELECT 'role', current_setting('role') WHERE current_setting('role') <> 'none'`;
  }
}

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
    // Also when nothing is found below: a setting may have a name that only its parameters told.
    this.inForce = null;
    if (owner.closed) return;
    const answer = await this.ask(query(owner.reading()));
    owner.values = [...backendFrames(answer)]
      .filter(({ type }) => type === 'D')
      .map((row) => readRow(answer, row))
      .map(([name, value]) => [name ?? '', value ?? '']);
    owner.changed = false;
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
