import { Inject, Injectable, Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepPrivate, CONFIG, type Config, type SecretKey } from '../config';
import { KEY_BYTES } from './envelope';

export const SECRETS_KEY_FILE = 'secrets-key';

/** Operator keys that wrap data keys, newest first. */
@Injectable()
export class KeyRing {
  private readonly logger = new Logger('Secrets');
  private readonly keys: readonly SecretKey[];

  constructor(@Inject(CONFIG) config: Config) {
    this.keys = this.load(config.secrets.keys, join(config.database.dataDir, SECRETS_KEY_FILE));
  }

  /** Key for new data keys; null without keys. */
  newest(): SecretKey | null {
    return this.keys[0] ?? null;
  }

  find(kid: string): SecretKey | null {
    return this.keys.find((key) => key.kid === kid) ?? null;
  }

  all(): readonly SecretKey[] {
    return this.keys;
  }

  private load(configured: readonly SecretKey[], file: string): readonly SecretKey[] {
    // A generated key stays readable after the operator configured keys, until a rotation.
    const generated = configured.length > 0 ? readKey(file) : (readKey(file) ?? this.generate(file));
    if (generated === 'unreadable') {
      this.logger.error(`${file} does not hold a key; secrets sealed with it cannot be read`);
      return configured;
    }
    if (generated === null || configured.some(({ kid }) => kid === generated.kid)) return configured;
    return [...configured, generated];
  }

  private generate(file: string): SecretKey | 'unreadable' | null {
    try {
      return generateKey(file);
    } catch (error) {
      this.logger.error(
        `No key for secrets: ${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? ''})`,
      );
      return null;
    }
  }
}

function readKey(file: string): SecretKey | 'unreadable' | null {
  let text: string;
  try {
    keepPrivate(file);
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : 'unreadable';
  }
  const [, kid, hex] = /^([A-Za-z0-9_-]{1,32}):([0-9a-fA-F]{64})$/.exec(text) ?? [];
  return kid === undefined || hex === undefined ? 'unreadable' : { kid, key: Buffer.from(hex, 'hex') };
}

/** Creates the key file once, complete: of two processes one wins and both read the same key. */
function generateKey(file: string): SecretKey | 'unreadable' | null {
  const kid = `local-${randomBytes(4).toString('hex')}`;
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(draft, `${kid}:${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readKey(file);
}
