import type { ConnectionOutcome, LatestOutcome } from '../organizations';
import type { Config } from '../infrastructure/config';
import { OutsideChecks } from './health-report.service';

const OUTCOME: ConnectionOutcome = {
  ...{ at: '2026-11-26T12:00:00.000Z', ok: true, code: null },
  ...{ status: 200, vendor_message: null, duration_ms: 5 },
};
const CONFIG = {
  http: { publicUrl: 'https://learn.example.edu' },
  moodle: { apiUrl: 'https://moodle.internal' },
  vendors: new Map([['openai', { baseUrl: 'https://api.vendor.example/v1', operator: null }]]),
} as unknown as Config;

const used = (connection: string, url: string | null): LatestOutcome => ({
  ...{ organization: 'physics', connection, url },
  outcome: OUTCOME,
});

/** Hosts whose certificates are read, and whether their addresses may be private. */
async function readFor(latest: readonly LatestOutcome[], config: Config = CONFIG): Promise<readonly unknown[]> {
  const read: unknown[] = [];
  const certificate = (url: URL, trusted: boolean): Promise<object> => {
    read.push([url.host, trusted]);
    return Promise.resolve({ state: 'unreachable' });
  };
  const connections = { everywhere: () => Promise.resolve(latest) };
  const { checks } = new OutsideChecks(config, connections as never, { certificate } as never);
  await checks.find(({ name }) => name === 'certificate')?.make();
  return read;
}

describe('certificates are read', () => {
  it('of PUBLIC_URL, and once of each https host in use, private ones at addresses of the operator only', async () =>
    expect(
      await readFor([
        used('mcp.servers.library', 'https://library.example/mcp'),
        used('mcp.servers.archive', 'https://library.example/archive'),
        used('knowledge_base', 'http://plain.example'),
        used('knowledge_base', 'https://moodle.internal'),
        used('moodle', null),
        used('providers.openai', null),
        used('providers.gone', null),
      ]),
    ).toEqual([
      ['learn.example.edu', true],
      ['moodle.internal', true],
      ['api.vendor.example', true],
      ['library.example', false],
    ]));

  it('of nothing where nothing is used', async () =>
    expect(await readFor([], { ...CONFIG, http: { publicUrl: null } } as unknown as Config)).toEqual([]));
});
