import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { envExample } from './env-example';
import { ConfigError, loadConfig } from './load-config';

const failure = (env: Record<string, string>): ConfigError => {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
  }
  throw new Error('the configuration was accepted');
};

describe('loadConfig', () => {
  it('starts with no variable at all, on the embedded database with demo data', () => {
    const config = loadConfig({});
    expect(config.database.url).toBeNull();
    expect(config.bootstrap.seedDemo).toBe(true);
    expect(config.http.port).toBe(3000);
  });

  it('names every bad variable in one message and shows no value', () => {
    const error = failure({
      PORT: 'canary',
      LOG_LEVEL: 'canary',
      DATABASE_URL: 'mysql://canary',
      SECRETS_KEY: 'canary',
    });
    expect(error.lines).toHaveLength(4);
    expect(error.message).toMatch(/PORT[^]*LOG_LEVEL|LOG_LEVEL[^]*PORT/);
    expect(error.message).not.toContain('canary');
  });

  it('refuses production without a public address, a database and secrets, naming each', () => {
    expect(failure({ NODE_ENV: 'production' }).message).toMatch(/PUBLIC_URL[^]*DATABASE_URL[^]*SECRETS_KEY/);
  });

  it.each([
    '1:' + '0'.repeat(64),
    '1:' + 'ab'.repeat(31),
    `1:${'0123456789abcdef'.repeat(4)},1:${'0123456789abcdef'.repeat(4)}`,
  ])('refuses a sample, short or doubled secrets key', (keys) =>
    expect(failure({ SECRETS_KEY: keys }).lines).toHaveLength(1),
  );

  it.each(['bw_short', 'xx_' + 'k'.repeat(40), 'bw_' + 'k '.repeat(20)])('refuses the bootstrap key %j', (key) =>
    expect(failure({ BOOTSTRAP_ADMIN_KEY: key }).lines).toHaveLength(1),
  );

  it('demands a secret beside trusted proxies and never trusts everyone', () => {
    expect(failure({ TRUSTED_PROXY_CIDRS: '10.0.0.0/8' }).message).toContain('TRUSTED_PROXY_SECRET');
    expect(failure({ TRUSTED_PROXY_CIDRS: '0.0.0.0/0', TRUSTED_PROXY_SECRET: 's' }).message).toContain(
      'TRUSTED_PROXY_CIDRS',
    );
  });

  it('treats an empty variable as unset', () => expect(loadConfig({ DATABASE_URL: ' ' }).database.url).toBeNull());

  it('is frozen all the way down', () => {
    const config = loadConfig({});
    expect(() => Object.assign(config.tools, { parallelLimit: 1 })).toThrow(TypeError);
  });
});

describe('.env.example', () => {
  it('lists every variable with its default', () => {
    expect(readFileSync(join(__dirname, '../../../.env.example'), 'utf8')).toBe(envExample());
  });
});
