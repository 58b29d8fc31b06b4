import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../../../src/infrastructure/database';
import { type GateSettings, PublicationGateEntity } from './publication-gate.entity';

const SAVE = `
  INSERT INTO publication_gates (assistant_id, organization_id, required, override) VALUES ($1, $2, $3, $4)
  ON CONFLICT (assistant_id) DO UPDATE SET required = EXCLUDED.required, override = EXCLUDED.override`;

@Injectable()
export class PublicationGateRepository {
  constructor(private readonly dataSource: DataSource) {}

  find(organizationId: string, assistantId: number): Promise<PublicationGateEntity | null> {
    return this.dataSource.getRepository(PublicationGateEntity).findOneBy({ organizationId, assistantId });
  }

  async save(
    organizationId: string,
    assistantId: number,
    { required, override }: GateSettings,
    tx: Transaction,
  ): Promise<void> {
    await tx.query(SAVE, [assistantId, organizationId, required, override]);
  }
}
