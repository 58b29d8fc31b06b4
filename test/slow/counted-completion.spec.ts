import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { preparedDataDir } from '../support/data-directory';
import { multiTool, user } from '../support/chat';
import { type ServerProcess, startServer } from '../support/server-process';
import { startUpstream, type Upstream } from '../support/upstream';
import { until } from '../support/until';

const COUNTER = join(__dirname, '../support/count-work.cjs');
const WARM_UP = 1_000;
const COUNTED = 1_000;
const AT_ONCE = 8;
/** Node 20 allocates more: it keeps the context of each promise in an object. */
const ALLOCATED_BYTES = Number(process.versions.node.split('.')[0]) < 24 ? 210_000 : 170_000;
const STREAMS = 64;
const TOKENS = 100;

type Counts = Readonly<Record<string, number>>;

/** Rules that count every question: one for the organization, one for each person. */
const RULES = ['organization', 'person'].map((kind) => ({
  id: kind,
  for: { kind },
  limit: 'tokens',
  amount: 1_000_000_000,
  per: 'day',
}));

/*
 * Counts what one completion makes: promises, timers, signatures, statements, bytes allocated and bytes stored. No other
 * program on the machine changes these figures, but jobs of the service add a little to those of a slow machine. The limits
 * may only fall. A change that adds a promise to a completion removes another one.
 *
 * Stored bytes are the parameters of the statements that write `runs` and `run_segments`: the deflated line of the run with
 * its seal, and the columns that lists filter by.
 */
describe('a completion', () => {
  let dataDir: string;
  let counts: string;
  let upstream: Upstream;
  let server: ServerProcess;
  let model: string;

  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.always({ content: 'word '.repeat(50) });
    dataDir = preparedDataDir('bellwether-counted-');
    counts = join(dataDir, 'counts.json');
    server = await startServer({
      dataDir,
      env: {
        OPENAI_BASE_URL: upstream.url,
        OPENAI_API_KEY: 'sk-canary-counted-1',
        OUTBOUND_ALLOW: '127.0.0.1',
        LOG_LEVEL: 'error',
        NODE_OPTIONS: `--require ${COUNTER}`,
        COUNTS_FILE: counts,
      },
    });
    const made = await server.api('POST', '/api/v1/assistants', {
      name: 'Tutor',
      prompt_template: '{user_input}',
      metadata: multiTool([{ plugin: 'no_rag', enabled: true, config: {} }]),
    });
    model = `lamb_assistant.${made.json.id}`;
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function ask(times: number, stream = false): Promise<void> {
    let left = times;
    const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model, messages: [user('Why?')], stream });
    const one = async (): Promise<void> => {
      while (left-- > 0) {
        const response = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body });
        expect(await response.text()).toContain('word');
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  }

  /** The counter answers each signal by writing its file. */
  async function signal(name: 'SIGUSR2' | 'SIGWINCH' = 'SIGUSR2'): Promise<Counts> {
    rmSync(counts, { force: true });
    process.kill(server.pid, name);
    await until(() => existsSync(counts));
    return JSON.parse(readFileSync(counts, 'utf8')) as Counts;
  }

  async function counted(times: number, stream = false): Promise<(type: string) => number> {
    const before = await signal();
    await ask(times, stream);
    const after = await signal();
    return (type) => ((after[type] ?? 0) - (before[type] ?? 0)) / times;
  }

  async function perCompletion(): Promise<(type: string) => number> {
    await ask(WARM_UP);
    return counted(COUNTED);
  }

  async function allocatedBytes(): Promise<number> {
    await signal('SIGWINCH');
    await ask(COUNTED);
    const { ALLOCATED = Infinity } = await signal('SIGWINCH');
    return ALLOCATED / COUNTED;
  }

  it('makes few promises and timers, and signs no record of its own', async () => {
    const each = await perCompletion();
    expect(each('PROMISE')).toBeLessThanOrEqual(20);
    expect(each('Timeout')).toBeLessThanOrEqual(3);
    expect(each('SIGNREQUEST')).toBeLessThanOrEqual(0.1);
  });

  it('sends few statements and bytes to the database, and allocates little memory', async () => {
    const each = await perCompletion();
    expect(each('STATEMENT')).toBeLessThanOrEqual(0.2);
    // A statement that the counter does not know would count as nothing.
    expect(each('STORED_BYTES')).toBeGreaterThan(100);
    expect(each('STORED_BYTES')).toBeLessThanOrEqual(1_000);
    expect(await allocatedBytes()).toBeLessThanOrEqual(ALLOCATED_BYTES);
  });

  it('makes no promise for a token of a stream, and few timers for all of them', async () => {
    const streamed = (tokens: number): Promise<(type: string) => number> => {
      const pieces = Array.from({ length: tokens }, () => 'word ');
      upstream.always({ content: pieces.join(''), pieces, delayMs: 2 });
      return counted(STREAMS, true);
    };
    await streamed(TOKENS);
    const short = await streamed(1);
    const long = await streamed(1 + TOKENS);
    // Jobs of the service make some while a longer stream lasts.
    expect((long('PROMISE') - short('PROMISE')) / TOKENS).toBeLessThanOrEqual(0.3);
    expect(short('PROMISE')).toBeLessThanOrEqual(32);
    expect(long('Timeout')).toBeLessThanOrEqual(6);
  });

  it('makes few more where rules count it', async () => {
    await server.api('PATCH', '/api/v1/organizations/default', { limits: { rules: RULES } });
    const each = await perCompletion();
    expect(each('PROMISE')).toBeLessThanOrEqual(20);
    expect(each('Timeout')).toBeLessThanOrEqual(3);
    expect(each('STATEMENT')).toBeLessThanOrEqual(0.2);
  });
});
