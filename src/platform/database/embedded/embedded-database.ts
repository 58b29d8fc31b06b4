export interface EmbeddedOptions {
  readonly dataDir: string;
}

export interface EmbeddedDatabase {
  /** For `pg`, TypeORM and psql alike. */
  readonly url: string;
  close(): Promise<void>;
}

export async function startEmbedded(_options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  throw new Error('not yet');
}

export async function runningEmbeddedUrl(_dataDir: string): Promise<string | null> {
  return null;
}
