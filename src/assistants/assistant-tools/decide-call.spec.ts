import fc from 'fast-check';
import { type CallFacts, GRANTS, PUBLICATIONS, REFUSALS, type TargetFacts } from './call-decision.types';
import { decideCall, reachOf } from './call-targets';

const organization = (id: string, more: Partial<CallFacts['calling']['organization']> = {}) => ({
  id,
  suspended: false,
  exports: false,
  imports: false,
  ...more,
});

interface Case {
  readonly target?: Partial<TargetFacts> | null;
  readonly calling?: Partial<CallFacts['calling']>;
  readonly rest?: Partial<Pick<CallFacts, 'callerMayRun' | 'depth' | 'quotaSpent'>>;
}

/** Facts in which O of Ao calls a private T of At within one organization, which nothing allows. */
function facts({ target = {}, calling = {}, rest = {} }: Case): CallFacts {
  return {
    callerMayRun: true,
    depth: 0,
    quotaSpent: false,
    calling: { id: 1, ownerId: 'Ao', ownerActive: true, live: true, organization: organization('Go'), ...calling },
    target:
      target === null
        ? null
        : {
            id: 2,
            ownerId: 'At',
            ownerActive: true,
            deleted: false,
            disabled: false,
            publication: 'none',
            sharedWithOwner: false,
            toolUsing: false,
            organization: organization('Go'),
            ...target,
          },
    ...rest,
  };
}

const OWN = { ownerId: 'Ao' };
const FOREIGN = { organization: organization('Gt') };
const EXPORTING = { organization: organization('Gt', { exports: true }) };
const IMPORTING = { organization: organization('Go', { imports: true }) };

const TABLE: readonly (readonly [row: string, what: string, given: Case, expected: string])[] = [
  ['A1', 'one owner, one organization', { target: OWN }, 'A1'],
  ['A2', 'shared with the owner', { target: { sharedWithOwner: true } }, 'A2'],
  ['A3', 'the share is revoked', { target: { sharedWithOwner: false } }, 'A6'],
  ['A4', 'published to the organization', { target: { publication: 'organization' } }, 'A4'],
  ['A4', 'published to all, seen at home', { target: { publication: 'public' } }, 'A4'],
  ['A5', 'no longer published', { target: { publication: 'none' } }, 'A6'],
  ['A6', 'none of the three', {}, 'A6'],
  ['B1', 'a target with functions', { target: { ...OWN, toolUsing: true } }, 'B1'],
  ['B2', 'a target with content tools only', { target: { ...OWN, toolUsing: false } }, 'A1'],
  ['B4', 'itself', { target: { ...OWN, id: 1 } }, 'B4'],
  ['B5', 'from inside a nested run', { target: OWN, rest: { depth: 1 } }, 'B5'],
  ['C1', 'a target that is switched off', { target: { ...OWN, disabled: true } }, 'C1'],
  ['C1', 'a target that is deleted', { target: { ...OWN, deleted: true } }, 'C1'],
  ['C2', 'a target whose owner is gone', { target: { publication: 'organization', ownerActive: false } }, 'C2'],
  ['C3', 'the calling owner is disabled', { target: OWN, calling: { ownerActive: false } }, 'C3'],
  ['C3', 'the calling assistant is gone', { target: OWN, calling: { live: false } }, 'C3'],
  ['C4', 'Go is suspended', { target: OWN, calling: { organization: organization('Go', { suspended: true }) } }, 'C4'],
  ['C4', 'Gt is suspended', { target: { organization: organization('Gt', { suspended: true }) } }, 'C4'],
  ['D1', 'one person, two organizations', { target: { ...OWN, ...EXPORTING }, calling: IMPORTING }, 'D1'],
  ['D2', 'published elsewhere', { target: { publication: 'organization', ...EXPORTING }, calling: IMPORTING }, 'D2'],
  ['D3', 'public, both consent', { target: { publication: 'public', ...EXPORTING }, calling: IMPORTING }, 'D3'],
  ['D4', 'Gt does not export', { target: { publication: 'public', ...FOREIGN }, calling: IMPORTING }, 'D4'],
  ['D4', 'Go does not import', { target: { publication: 'public', ...EXPORTING } }, 'D4'],
  ['D5', 'shared across, both consent', { target: { sharedWithOwner: true, ...EXPORTING }, calling: IMPORTING }, 'D5'],
  ['D5', 'shared across, one does not', { target: { sharedWithOwner: true, ...EXPORTING } }, 'D4'],
  ['--', 'private elsewhere', { target: EXPORTING, calling: IMPORTING }, 'A6'],
  ['E4', 'the quota is spent', { target: OWN, rest: { quotaSpent: true } }, 'E4'],
  ['E4', 'a spent quota tells nothing of what is out of reach', { rest: { quotaSpent: true } }, 'A6'],
  ['R1', 'P may not run O', { target: OWN, rest: { callerMayRun: false } }, 'R1'],
  ['--', 'an id that never was', { target: null }, 'T0'],
];

describe('whether an assistant may call another', () => {
  it.each(TABLE)('%s: %s', (_row, _what, given, expected) => {
    const decision = decideCall(facts(given));
    expect(decision).toEqual({ allowed: GRANTS.some((grant) => grant === expected), row: expected });
  });

  it('has a reason for every refusal of the table', () => {
    const refusals = TABLE.map(([, , , row]) => row).filter((row) => !GRANTS.some((grant) => grant === row));
    expect([...new Set(refusals)].sort()).toEqual(Object.keys(REFUSALS).sort());
  });
});

const anyOrganization = fc.record({
  id: fc.constantFrom('G1', 'G2'),
  suspended: fc.boolean(),
  exports: fc.boolean(),
  imports: fc.boolean(),
});
const anyTarget: fc.Arbitrary<TargetFacts> = fc.record({
  id: fc.integer({ min: 1, max: 3 }),
  ownerId: fc.constantFrom('u1', 'u2'),
  ownerActive: fc.boolean(),
  deleted: fc.boolean(),
  disabled: fc.boolean(),
  publication: fc.constantFrom(...PUBLICATIONS),
  sharedWithOwner: fc.boolean(),
  toolUsing: fc.boolean(),
  organization: anyOrganization,
});
const anyFacts: fc.Arbitrary<CallFacts> = fc.record({
  callerMayRun: fc.boolean(),
  depth: fc.nat({ max: 2 }),
  quotaSpent: fc.boolean(),
  target: fc.option(anyTarget),
  calling: fc.record({
    id: fc.option(fc.integer({ min: 1, max: 3 })),
    ownerId: fc.constantFrom('u1', 'u2'),
    ownerActive: fc.boolean(),
    live: fc.boolean(),
    organization: anyOrganization,
  }),
});

describe('whatever the facts are', () => {
  it('nothing is allowed that any single row forbids', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        if (!decideCall(given).allowed) return;
        const { calling, target } = given;
        expect(target).toMatchObject({ ownerActive: true, deleted: false, disabled: false, toolUsing: false });
        expect(given).toMatchObject({ callerMayRun: true, depth: 0, quotaSpent: false });
        expect(calling).toMatchObject({ live: true, ownerActive: true, organization: { suspended: false } });
        expect(target?.organization.suspended).toBe(false);
        expect(target?.id).not.toBe(calling.id);
      }),
      { numRuns: 2_000 },
    );
  });

  it('nothing crosses organizations without the consent of both', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        const { calling, target } = given;
        if (target === null || target.organization.id === calling.organization.id) return;
        if (!decideCall(given).allowed) return;
        expect([target.organization.exports, calling.organization.imports]).toEqual([true, true]);
        expect(target.publication === 'public' || target.sharedWithOwner).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('within an organization nobody but owner, shared-with and everybody for published ones is let through', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        const { calling, target } = given;
        if (target === null || target.organization.id !== calling.organization.id) return;
        const mine = target.ownerId === calling.ownerId || target.sharedWithOwner || target.publication !== 'none';
        expect(reachOf(calling, target).allowed).toBe(mine);
        if (!mine) expect(decideCall(given).allowed).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('taking a right away never allows what was refused', () => {
    const less: ((given: CallFacts) => CallFacts)[] = [
      (given) => ({ ...given, callerMayRun: false }),
      (given) => ({ ...given, depth: given.depth + 1 }),
      (given) => ({ ...given, quotaSpent: true }),
      (given) => ({ ...given, target: given.target && { ...given.target, sharedWithOwner: false } }),
      (given) => ({ ...given, target: given.target && { ...given.target, publication: 'none' } }),
      (given) => ({ ...given, target: given.target && { ...given.target, toolUsing: true } }),
      (given) => ({ ...given, target: given.target && { ...given.target, disabled: true } }),
    ];
    fc.assert(
      fc.property(anyFacts, fc.constantFrom(...less), (given, lessen) => {
        if (!decideCall(given).allowed) expect(decideCall(lessen(given)).allowed).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});
