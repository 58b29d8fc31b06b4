import type { CertificateState } from '../infrastructure/outbound';
import type { ConnectionOutcome } from '../organizations';
import { checkCertificates, checkConnections, checkQueues } from './health-report.service';

const NOW = new Date('2026-11-26T12:00:00Z');
const inDays = (days: number): CertificateState => ({
  state: 'valid',
  until: new Date(NOW.getTime() + days * 86_400_000),
});
const queue = (name: string, oldest_seconds: number, failed = 0) => ({
  queue: name,
  waiting: 1,
  delayed: 0,
  active: 0,
  failed,
  oldest_seconds,
});
const call = (code: string | null, status: number | null = null): { outcome: ConnectionOutcome } => ({
  outcome: { at: NOW.toISOString(), ok: code === null, code, status, vendor_message: null, duration_ms: 5 },
});
const at = (connection: string) => ({ organization: 'physics', connection, url: null });

describe('queues', () => {
  it.each([
    [59, 'queue.ok'],
    [61, 'queue.late'],
    [901, 'queue.stuck'],
  ])('whose oldest job waits %d s are %s', (seconds, code) =>
    expect(checkQueues([queue('ingest', 0), queue('run', seconds)])[0]?.code).toBe(code),
  );

  it('are named with their failed jobs', () =>
    expect(checkQueues([queue('ingest', 0, 3)])).toMatchObject([
      { code: 'queue.ok', values: { seconds: 1 } },
      { code: 'queue.failed', values: { queue: 'ingest', count: 3 } },
    ]));

  it('that cannot be read are told', () => expect(checkQueues(null)).toMatchObject([{ code: 'queue.unknown' }]));
});

describe('vendors and servers', () => {
  it('are counted while all of them answer, and none is mentioned where none was called', () => {
    expect(checkConnections([])).toEqual([]);
    expect(checkConnections([{ ...at('moodle'), ...call(null) }])).toMatchObject([{ values: { count: 1 } }]);
  });

  it('are named with their organization when their last call failed', () =>
    expect(
      checkConnections([
        { ...at('providers.openai'), ...call('upstream_auth', 401) },
        { ...at('mcp.servers.library'), ...call('upstream_error', 503) },
        { ...at('moodle'), ...call(null) },
      ]),
    ).toMatchObject([
      { code: 'connection.key', values: { connection: 'providers.openai' }, organization: 'physics' },
      { code: 'connection.failing', values: { reason: 'upstream_error 503', at: NOW.toISOString() } },
    ]));
});

it('certificates that end soon, are refused or cannot be read are told one by one, the others together', () => {
  const found = checkCertificates(
    [
      { host: 'far.example', certificate: inDays(80) },
      { host: 'next.example', certificate: inDays(30.5) },
      { host: 'soon.example', certificate: inDays(10.5) },
      { host: 'now.example', certificate: inDays(0.5) },
      { host: 'old.example', certificate: { state: 'refused', reason: 'CERT_HAS_EXPIRED' } },
      { host: 'away.example', certificate: { state: 'unreachable' } },
    ],
    NOW,
  );
  expect(found.map(({ code, values }) => [code, values])).toEqual([
    ['certificate.refused', { host: 'old.example', reason: 'CERT_HAS_EXPIRED' }],
    ['certificate.unreachable', { host: 'away.example' }],
    ['certificate.now', { host: 'now.example', date: '2026-11-27' }],
    ['certificate.soon', { host: 'soon.example', days: 10, date: '2026-12-07' }],
    ['certificate.ok', { count: 2, host: 'next.example', days: 30 }],
  ]);
});
