import { TableWrites, type Write, WriteObserver } from './scoped-client';

const ORGANIZATION = { organizationId: 'one' };

function watched() {
  const told: Write[] = [];
  const writes = new TableWrites();
  writes.on((write) => told.push(write));
  const tables = (): string[][] => told.splice(0).map((write) => [...write.tables]);
  return { watch: new WriteObserver(writes), told, tables };
}

describe('the tables that a statement writes', () => {
  it.each([
    ['INSERT INTO "files" ("id") VALUES ($1) RETURNING *', ['files']],
    ['  update rubrics SET title = $1', ['rubrics']],
    ['DELETE FROM ONLY knowledge_bases WHERE id = $1', ['knowledge_bases']],
    ['WITH gone AS (DELETE FROM a RETURNING id) INSERT INTO b SELECT id FROM gone', ['a', 'b']],
    ['INSERT INTO c VALUES (1) ON CONFLICT (id) DO UPDATE SET n = 1', ['c', 'set']],
    ['TRUNCATE TABLE d', ['d']],
    ['COPY e FROM STDIN', ['e']],
    ['MERGE INTO f USING g ON true WHEN MATCHED THEN DELETE', ['f']],
  ])('are found in %s', (text, expected) => {
    const { watch, tables } = watched();
    watch.ended(text, ORGANIZATION, false);
    expect(tables()).toEqual([expected]);
  });

  it.each(['SELECT * FROM files FOR UPDATE', 'BEGIN', 'COMMIT'])('are none in %s', (text) => {
    const { watch, tables } = watched();
    watch.ended(text, ORGANIZATION, false);
    expect(tables()).toEqual([]);
  });

  it('are told when the transaction has ended, with what it wrote before a savepoint', () => {
    const { watch, tables } = watched();
    watch.ended('INSERT INTO a VALUES (1)', ORGANIZATION, true);
    watch.ended('ROLLBACK TO SAVEPOINT one', ORGANIZATION, true);
    watch.ended('UPDATE b SET n = 1', ORGANIZATION, true);
    expect(tables()).toEqual([]);
    watch.ended('COMMIT', ORGANIZATION, false);
    expect(tables()).toEqual([['a', 'b']]);
    watch.ended('SELECT 1', ORGANIZATION, false);
    expect(tables()).toEqual([]);
  });

  it('belong to the organization of the statement, to any where it reached several', () => {
    const { watch, told } = watched();
    watch.ended('UPDATE a SET n = 1', ORGANIZATION, false);
    watch.ended('UPDATE a SET n = 1', { crossing: 'jobs' }, false);
    watch.ended('UPDATE a SET n = 1', ORGANIZATION, true);
    watch.ended('UPDATE a SET n = 1', { organizationId: 'two' }, false);
    expect(told.map(({ organizationId }) => organizationId)).toEqual(['one', null, null]);
  });
});
