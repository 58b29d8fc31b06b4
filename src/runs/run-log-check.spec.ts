import { merkleRoot, sha256 } from './receipts';
import { deletedEntry } from './run-line';
import { RunLogCheck } from './run-log-check';

const LINES = ['{"v":1,"a":1}', '{"v":1,"a":2}', '{"v":1,"a":3}'] as const;
const LEAVES = LINES.map(sha256);

async function faultsOf(entries: readonly string[]): Promise<readonly string[]> {
  const seal = { chain: 'c', number: 0, root: merkleRoot(LEAVES), previous_root: null, count: 3, sealed_at: '' };
  const check = new RunLogCheck([]);
  await check.add({ id: 's', seal: { ...seal, signature: 'AA', key_id: 'k' }, entries });
  // The seal has no signature.
  return check.end().flatMap(({ fault }) => (fault === 'signature' ? [] : [fault]));
}

describe('the check of a segment', () => {
  it('takes lines as they were sealed, and digests in place of deleted ones', async () => {
    expect(await faultsOf(LINES)).toEqual([]);
    expect(await faultsOf([LINES[0], deletedEntry(LEAVES[1] ?? '', null), LINES[2]])).toEqual([]);
  });

  it('takes no digest of two lines for a deleted one', async () => {
    const both = merkleRoot(LEAVES.slice(0, 2));
    expect(await faultsOf([deletedEntry(both, null), LINES[2]])).toEqual(['lines']);
  });
});
