import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles } from '../support/source-files';

const ROOT = join(__dirname, '../..');
/** `UPDATE … SET runs = runs + 1`, `… = held.runs + excluded.runs`. */
const ADDS = /\b([a-z_]+|\$\{[^}]+\}) = (?:[a-z]+\.)?\1 \+ \S+|\+ excluded\b/gi;

/** Statements that need no id of their own, and why a repetition after a lost answer does not add twice. */
const KNOWN_OTHERWISE: Readonly<Record<string, string>> = {
  'extensions/join/join-link.repository.ts': 'in the transaction that makes the member',
  'src/assistants/rewriting/rewrite.repository.ts': 'the version is a condition of the statement',
  'src/auth/imported-passwords/imported-password.repository.ts':
    'one try of a password is one statement, never repeated',
  'src/knowledge-bases/search/index-statements.ts': 'every try adds chunks of a generation of its own',
  'src/metering/lease.repository.ts': 'adds what the row of the lease does not have, and writes that row',
  'src/migration/batches/batch-sql.ts': 'in the transaction that moves the cursor of the batch',
  'src/privacy/catalogue/use-tables.ts': 'the same statement deletes the rows that it adds',
  'src/runs/keeping/run-lease.repository.ts': 'the same statement takes the lease',
};

describe('statements that add to stored figures', () => {
  const files = sourceFiles(/(?<!\.spec)\.ts$/);
  const adding = files.filter((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return /\b(?:UPDATE|INSERT INTO)\b/.test(text) && (text.match(ADDS) ?? []).length > 0;
  });

  it('carry an id by which a repetition is known, or are known by something else', () => {
    const without = adding.filter((file) => !readFileSync(join(ROOT, file), 'utf8').includes('addOnce('));
    expect(without.sort()).toEqual(Object.keys(KNOWN_OTHERWISE));
  });

  it('are found by this test', () => {
    for (const file of ['src/metering/usage.repository.ts', 'src/tools/tool-stats.repository.ts'])
      expect(adding).toContain(file);
  });
});
