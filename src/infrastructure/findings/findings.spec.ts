import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  FINDINGS,
  checkAddress,
  checkDisk,
  checkRowSecurity,
  checkSecrets,
  checkVersions,
  clockFinding,
  finding,
  worstOf,
} from './findings';

const codesOf = (found: readonly { readonly code: string }[]): readonly string[] => found.map(({ code }) => code);

describe('findings', () => {
  it('have their values in the text, and a next step unless all is well', () => {
    expect(finding('secrets.missing', { keys: '1, 2' }, 'physics')).toMatchObject({
      text: 'Stored keys of vendors cannot be opened: 1, 2 is missing in SECRETS_KEY.',
      organization: 'physics',
    });
    const silent = Object.entries(FINDINGS).filter(([, wording]) => (wording.state === 'ok') === 'next' in wording);
    expect(codesOf(silent.map(([code]) => ({ code })))).toEqual([]);
  });

  it('are as bad as the worst', () => {
    expect(worstOf([])).toBe('ok');
    expect(worstOf([finding('clock.off'), finding('vectors.missing'), finding('disk.ok')])).toBe('warning');
  });
});

it.each([
  [12, 'clock.ok'],
  [2_001, 'clock.off'],
  [30_001, 'clock.wrong'],
])('a clock that is %d ms off is %s', (ms, code) => expect(clockFinding(ms).code).toBe(code));

it.each([
  ['18.20.0', 'versions.node'],
  ['20.18.3', 'versions.node'],
  ['20.19.0', 'versions.ok'],
  ['24.1.0', 'versions.ok'],
])('Node.js %s is %s', (node, code) => expect(checkVersions(node).code).toBe(code));

it.each([
  [null, []],
  ['https://learn.example.edu', []],
  ['http://localhost:3000', []],
  ['http://learn.example.edu', ['address.plain']],
])('PUBLIC_URL %s gives %j', (url, codes) => expect(codesOf(checkAddress(url))).toEqual(codes));

it('a missing key and missing row-level security are named', () => {
  expect(checkSecrets({ missing: [] }).code).toBe('secrets.ok');
  expect(checkSecrets({ missing: ['2'] }).values).toEqual({ keys: '2' });
  expect(checkRowSecurity({ enforced: true, weaknesses: [] })).toEqual([]);
  expect(checkRowSecurity({ enforced: false, reason: 'no roles', commands: [] })).toMatchObject([
    { code: 'row_security.off', values: { reason: 'no roles' } },
  ]);
});

it('a data folder that is no folder cannot be written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bw-disk-'));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect((await checkDisk(join(folder, 'made', 'by', 'it'))).code).toMatch(/^disk\.(ok|little|full)$/);
  expect(await checkDisk(join(file, 'below'))).toMatchObject({ code: 'disk.read_only', values: { reason: 'ENOTDIR' } });
  rmSync(folder, { recursive: true });
});
