import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import { migrations } from '../../migrations';
import { isContraction } from '../../src/infrastructure/database';
import { assertOrder } from '../../src/infrastructure/postgres/connection/migrate';
import { BEFORE_ROLLING_UPGRADES, contractionsIn } from '../support/expand-only';

/** Stamps up to this one were once given ahead of the clock. New ones are not. */
const AHEAD_OF_THE_CLOCK = 1_796_869_999_999;
/** Two branches took the same stamp; databases hold both names. */
const TWINS = ['ChainAuditEntries1796210000000', 'MeterUsage1796210000000'];
const stampOf = (name: string): number => Number(/\d{13}$/.exec(name)?.[0]);
const names = migrations.map(({ name }) => name);

describe('the list of migrations', () => {
  it('holds each file of the folder once, under its name', () => {
    const files = readdirSync(join(__dirname, '../../migrations')).filter((file) => file !== 'index.ts');
    const ofFiles = files.map((file) => file.replace(/^(\d{13})-(\w+)\.ts$/, '$2$1'));
    expect([...names].sort()).toEqual(ofFiles.sort());
  });

  it('is in the order of the stamps, none of which is given twice', () => {
    const late = names.filter((name, at) => at > 0 && stampOf(name) <= stampOf(names[at - 1] ?? ''));
    expect(late.filter((name) => !TWINS.includes(name))).toEqual([]);
  });

  it('has no stamp of the future, before which a later one could sort', () => {
    const latest = Math.max(Date.now(), AHEAD_OF_THE_CLOCK);
    expect(names.filter((name) => !(stampOf(name) <= latest))).toEqual([]);
  });

  it('is refused with the stamp to take when a new one would be applied before older ones', () => {
    const last = names.at(-1) ?? '';
    const made = [...names, 'AddToday1795831000000'];
    expect(() => assertOrder(made)).toThrow(
      `AddToday1795831000000 follows ${last} in migrations/index.ts, but its stamp is earlier`,
    );
    expect(() => assertOrder(made)).toThrow(`${stampOf(last) + 1_000}`);
    expect(() => assertOrder(names)).not.toThrow();
  });
});

/** Statements that a migration runs on a database which returns no rows. */
async function statementsOf(Migration: (typeof migrations)[number]): Promise<string[]> {
  const statements: string[] = [];
  const query = (sql: string): Promise<unknown[]> => {
    statements.push(sql);
    return Promise.resolve([]);
  };
  await new Migration().up({ query } as unknown as QueryRunner);
  return statements;
}

describe('migrations since builds may run beside each other', () => {
  const since = migrations.filter(({ name }) => !BEFORE_ROLLING_UPGRADES.includes(name));

  it('are all but a list of names, whatever their stamps', () => {
    expect(names.slice(0, BEFORE_ROLLING_UPGRADES.length)).toEqual(BEFORE_ROLLING_UPGRADES);
  });

  it.each(since.map((each) => [each.name, each] as const))(
    '%s takes nothing away from the build before it',
    async (name, each) => {
      const statements = await statementsOf(each);
      expect(statements.length).toBeGreaterThan(0);
      if (!isContraction(name)) expect(contractionsIn(statements)).toEqual([]);
    },
  );

  it('are refused where they would break an older build', () => {
    const breaking = [
      'DROP TABLE runs',
      'ALTER TABLE runs DROP COLUMN answer',
      'ALTER TABLE runs DROP answer',
      'ALTER TABLE runs RENAME TO answers',
      'ALTER TABLE runs RENAME COLUMN answer TO reply',
      'ALTER TABLE runs ALTER COLUMN answer TYPE jsonb',
      'ALTER TABLE runs ALTER answer SET NOT NULL',
      'ALTER TABLE runs ALTER answer DROP DEFAULT',
      'ALTER TABLE runs ADD COLUMN a text, ADD COLUMN b integer NOT NULL',
      'ALTER TABLE runs ADD CONSTRAINT runs_ck CHECK (length(answer) < 9)',
      'ALTER TABLE runs ADD CONSTRAINT runs_fk FOREIGN KEY (owner_id) REFERENCES users (id)',
      'CREATE UNIQUE INDEX runs_key ON runs (answer)',
    ];
    for (const statement of breaking) expect([statement, contractionsIn([statement]).length]).toEqual([statement, 1]);
    const adding = [
      'CREATE TABLE notes (id uuid NOT NULL, note text); CREATE UNIQUE INDEX notes_key ON notes (note)',
      'CREATE TABLE notes (id uuid); ALTER TABLE notes ADD CONSTRAINT notes_ck CHECK (id IS NOT NULL)',
      'ALTER TABLE runs ADD COLUMN a text, ADD COLUMN b integer NOT NULL DEFAULT 0',
      "ALTER TABLE runs ADD COLUMN a text; ALTER TABLE runs ADD CONSTRAINT runs_ck CHECK (a IN ('x', 'y'))",
      'ALTER TABLE runs ADD COLUMN a text; CREATE UNIQUE INDEX runs_key ON runs (a)',
      'ALTER TABLE runs ALTER COLUMN answer DROP NOT NULL',
      'ALTER TABLE runs DROP CONSTRAINT runs_ck',
      'CREATE INDEX runs_idx ON runs (answer)',
    ];
    for (const statement of adding) expect([statement, contractionsIn([statement])]).toEqual([statement, []]);
  });

  it('that remove something say so in their name', () => {
    expect(
      ['ContractRuns1800000000000', 'ContractorsGet1800000000000', 'AddRuns1800000000000'].map(isContraction),
    ).toEqual([true, false, false]);
  });
});
