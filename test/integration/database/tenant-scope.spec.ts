import { randomUUID } from 'node:crypto';
import { Column, CreateDateColumn, type DataSource, Entity, PrimaryColumn } from 'typeorm';
import { TenantScope, Transactions } from '../../../src/infrastructure/database';
import { createDataSource } from '../../../src/infrastructure/postgres/connection/data-source';
import { createScratchDatabase, type ScratchDatabase } from '../../support/scratch-database';

@Entity('notes')
class NoteEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('text')
  text!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}

describe('a tenant scope', () => {
  const [ours, theirs] = [randomUUID(), randomUUID()];
  let scratch: ScratchDatabase;
  let dataSource: DataSource;

  const within = (organizationId: string, manager = dataSource.manager): TenantScope<NoteEntity> =>
    new TenantScope(manager.getRepository(NoteEntity), organizationId);

  beforeAll(async () => {
    scratch = await createScratchDatabase();
    dataSource = await createDataSource({ url: scratch.url, poolSize: 2, migrations: [] }).initialize();
    await dataSource.query(`
      CREATE TABLE notes (
        id uuid PRIMARY KEY, organization_id uuid NOT NULL, text text NOT NULL, created_at timestamptz DEFAULT now()
      )`);
  });
  beforeEach(() => dataSource.query('TRUNCATE notes'));
  afterAll(async () => {
    await dataSource.destroy();
    await scratch.drop();
  });

  it('writes its own organization, whatever it is given, and returns what the database filled in', async () => {
    const values = { id: randomUUID(), text: 'hello', organizationId: theirs };
    const note = await within(ours).insert(values);
    expect(note).toMatchObject({ text: 'hello', organizationId: ours });
    expect(note.createdAt).toBeInstanceOf(Date);
    expect(await within(ours).find(note.id)).toMatchObject({ text: 'hello' });
  });

  it('neither sees nor changes another organization', async () => {
    const { id } = await within(theirs).insert({ id: randomUUID(), text: 'theirs' });
    const scope = within(ours);
    expect(await scope.find(id)).toBeNull();
    expect(await scope.update(id, { text: 'ours' })).toBe(false);
    expect(await scope.remove(id)).toBe(false);
    expect(await within(theirs).update(id, { text: 'changed' })).toBe(true);
    expect(await within(theirs).find(id)).toMatchObject({ text: 'changed' });
    expect(await within(theirs).remove(id)).toBe(true);
  });

  it('takes part in a transaction', async () => {
    const id = randomUUID();
    const transactions = new Transactions(dataSource);
    const failed = transactions.run(async (tx) => {
      await within(ours, tx).insert({ id, text: 'undone' });
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await within(ours).find(id)).toBeNull();
  });

  it('cannot be had without an organization', () => {
    expect(() => within('')).toThrow('needs an organization');
  });
});
