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
/** PostgreSQL does not list custom settings, which have a dot in their name. */
const OWN_NAME = /\b(?:set\s+(?:session\s+)?|set_config\s*\(\s*')([a-z_]\w*(?:\.\w+)+)/gi;

/** One session's settings: those of its start-up message, then its SETs. */
export class SessionSettings {
  values: readonly Setting[] = [];
  /** `values` may be stale. */
  changed = false;
  closed = false;
  private readonly ownNames = new Set<string>();

  /** Sets `changed` from the statements and command tags of a turn. Free of cost for SET LOCAL. */
  observe(texts: readonly string[], tags: readonly string[]): void {
    const lasting = texts.filter((text) => LASTING.test(text.replace(LOCAL_CALL, '')));
    for (const text of lasting) for (const [, name = ''] of text.matchAll(OWN_NAME)) this.ownNames.add(name);
    const tagged = tags.some((tag) => SETTING_TAGS.includes(tag));
    const called = lasting.some((text) => /\bset_config\b/i.test(text));
    if (called || (tagged && (lasting.length > 0 || texts.length === 0))) this.changed = true;
  }

  /**
   * Query for the current settings. Session authorization and role come last: they may end the right to set the rest.
   */
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
 * Gives every session its own settings in an engine that has one set. The engine is asked only when the next session
 * wants other settings.
 */
export class SettingsSwitch {
  private owner: SessionSettings | null = null;
  private inForce: string | null = keyOf([]);

  constructor(private readonly ask: (messages: Buffer) => Promise<Buffer>) {}

  /** Called when a session gets the engine, outside any transaction. */
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
    // Unknown even when the query finds none: a name may stand in a parameter only.
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

/** Safe: RESET ALL has just restored standard_conforming_strings. */
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
