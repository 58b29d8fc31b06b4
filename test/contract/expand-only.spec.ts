import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import { migrations } from '../../migrations';
import { isContraction } from '../../src/infrastructure/database';
import { isBaseline } from '../../src/infrastructure/postgres/connection/schema';
import { assertOrder } from '../../src/infrastructure/postgres/connection/migrate';
import { BASELINES, contractionsIn } from '../support/expand-only';

/** A fixed number of the past: no clock gives the numbers, so none of them is ever in the future. */
const FIRST = 1_700_000_000_001;
const names = migrations.map(({ name }) => name);

describe('the list of migrations', () => {
  it('holds each file of the folder under its name, numbered one by one', () => {
    const files = readdirSync(join(__dirname, '../../migrations')).filter((file) => /^\d/.test(file));
    const ofFiles = files.sort().map((file) => file.replace(/^(\d{13})-(\w+)\.ts$/, '$2$1'));
    expect(names).toEqual(ofFiles);
    expect(names.map((name) => Number(name.slice(-13)))).toEqual(names.map((_, at) => FIRST + at));
  });

  it('is refused with the number to take when a new one has that of another, or an earlier one', () => {
    const last = names.at(-1) ?? '';
    for (const number of [FIRST + names.length - 1, FIRST]) {
      const made = [...names, `AddToday${number}`];
      expect(() => assertOrder(made)).toThrow(
        `AddToday${number} follows ${last} in migrations/index.ts, but its number`,
      );
      expect(() => assertOrder(made)).toThrow(`the number ${FIRST + names.length}.`);
    }
    expect(() => assertOrder([...names, `AddToday${FIRST + names.length}`])).not.toThrow();
  });
});

describe('the baselines', () => {
  const baselines = migrations.slice(0, BASELINES.length);

  it('come first, and no later migration has their word in its name', () => {
    expect(names.slice(0, BASELINES.length)).toEqual(BASELINES);
    expect(names.filter(isBaseline)).toEqual(BASELINES);
  });

  it('are never edited, because databases that are older only get their names', () => {
    const schemas = baselines.map((Each) => (new Each() as unknown as { readonly schema: string }).schema);
    const text = schemas.join(';').replace(/--.*$/gm, '').replace(/\s+/g, ' ');
    expect(createHash('sha256').update(text).digest('hex')).toBe(
      '3ac6dd04d179b508f341c7dff458791d22c0e2ca7d4b13f008d16b76c8a6f4d6',
    );
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

describe('migrations after the baselines', () => {
  it('take nothing away from the build before them, unless their names say so', async () => {
    for (const each of migrations.filter(({ name }) => !BASELINES.includes(name))) {
      const statements = await statementsOf(each);
      expect([each.name, statements.length]).not.toEqual([each.name, 0]);
      if (!isContraction(each.name)) expect([each.name, contractionsIn(statements)]).toEqual([each.name, []]);
    }
  });

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
