import type { Caller } from '@bellwether/kernel';
import type { OrganizationsService } from '../organizations';
import type { BatchItemRepository } from './batches/batch-item.repository';
import type { BatchRepository } from './batches/batch.repository';
import { MigrationAdmin, type MigrationJobs } from './migration-admin.service';
import type { MigrationBatches } from './tasks/migration-batches.service';
import type { MigrationPlanner } from './tasks/migration-planner.service';

const signal = new AbortController().signal;
const adminOf = (organizationId: string): Caller =>
  ({ systemAdmin: false, organizationId, assistantIds: null }) as unknown as Caller;

describe('a dry run over HTTP', () => {
  it('goes on once for each organization, and is free again also after it failed', async () => {
    const rejections: ((error: Error) => void)[] = [];
    const planner = {
      plan: () => new Promise((_, reject) => void rejections.push(reject)),
    };
    const admin = new MigrationAdmin(
      planner as unknown as MigrationPlanner,
      {} as MigrationJobs,
      {} as MigrationBatches,
      {} as BatchRepository,
      {} as BatchItemRepository,
      {} as OrganizationsService,
    );
    const plan = (organizationId: string) => admin.plan(adminOf(organizationId), undefined, 3, signal);
    const first = plan('one');
    const second = plan('one');
    await expect(second).rejects.toMatchObject({ code: 'conflict' });
    const other = plan('other');
    await Promise.resolve();
    expect(rejections).toHaveLength(2);
    for (const reject of rejections) reject(new Error('away'));
    await expect(Promise.all([first, other])).rejects.toThrow('away');
    const again = plan('one');
    await new Promise(setImmediate);
    expect(rejections).toHaveLength(3);
    rejections[2]?.(new Error('done'));
    await expect(again).rejects.toThrow('done');
  });
});
