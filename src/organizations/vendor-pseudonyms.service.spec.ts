import { createSecretKey } from 'node:crypto';
import type { SecretsService } from '../infrastructure/secrets';
import { VendorPseudonyms } from './vendor-pseudonyms.service';

const of = (...keys: string[]): VendorPseudonyms =>
  new VendorPseudonyms({
    derivedKeys: () => keys.map((key) => createSecretKey(Buffer.from(key))),
  } as unknown as SecretsService);

describe('the pseudonym of a person', () => {
  it('is the same in every run, another for every organization and person, and no id', () => {
    const pseudonyms = of('k1');
    for (const [run, userId] of [
      ['r1', 'ada'],
      ['r2', 'ada'],
      ['r3', 'bob'],
    ] as const)
      pseudonyms.bind(run, { userId });
    const [one, two, three] = ['r1', 'r2', 'r3'].map((run) => pseudonyms.ofRun(run, 'o'));
    expect(one).toMatch(/^[0-9a-f]{32}$/);
    expect(two).toBe(one);
    expect(new Set([one, three, pseudonyms.ofRun('r1', 'other')]).size).toBe(3);
    expect(pseudonyms.ofUser('ada', 'o')).toEqual([one]);
  });

  it('is that of the end user, and missing when the end user is unknown or the run has ended', () => {
    const pseudonyms = of('k1');
    const key = { userId: 'gateway', mayNameEndUser: 'anywhere' as const };
    pseudonyms.bind('named', { ...key, endUser: { source: 'metadata.email', id: 'ada@example.edu' } });
    pseudonyms.bind('unnamed', key);
    expect(pseudonyms.ofRun('named', 'o')).toMatch(/^[0-9a-f]{32}$/);
    expect(pseudonyms.ofUser('gateway', 'o')).not.toContain(pseudonyms.ofRun('named', 'o'));
    expect(pseudonyms.ofRun('unnamed', 'o')).toBeNull();
    pseudonyms.release('named');
    expect(pseudonyms.ofRun('named', 'o')).toBeNull();
  });

  it('can be looked up after the operator key was replaced', () => {
    const old = of('k1').ofUser('ada', 'o');
    expect(of('k2', 'k1').ofUser('ada', 'o')).toEqual(expect.arrayContaining([...old]));
    expect(of().ofUser('ada', 'o')).toEqual([]);
  });
});
