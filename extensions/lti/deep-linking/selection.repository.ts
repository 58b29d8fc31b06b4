import type { Principal } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, LessThan } from 'typeorm';
import type { Transaction } from '../../../src/infrastructure/database';
import { SelectionEntity } from './selection.entity';

const HOURS = 1;

@Injectable()
export class SelectionRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insert(selection: Omit<SelectionEntity, 'expiresAt'>, tx: Transaction): Promise<void> {
    const rows = tx.getRepository(SelectionEntity);
    await rows.delete({ organizationId: selection.organizationId, expiresAt: LessThan(new Date()) });
    const expiresAt = new Date(Date.now() + HOURS * 3_600_000);
    await rows.insert({ ...selection, expiresAt });
  }

  /** The person's own one. */
  find({ organizationId, userId }: Principal, id: string): Promise<SelectionEntity | null> {
    return this.dataSource.getRepository(SelectionEntity).findOneBy({ id, organizationId, userId });
  }

  /** False where another request was first. */
  async consume({ id, organizationId, userId }: SelectionEntity, tx: Transaction): Promise<boolean> {
    const { affected } = await tx.getRepository(SelectionEntity).delete({ id, organizationId, userId });
    return affected === 1;
  }
}
