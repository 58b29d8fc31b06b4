import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { PersonIn } from '../person-rows.repository';

const OPEN = `
  SELECT id, organization_id AS "organizationId" FROM runs
  WHERE user_id = $2 AND (organization_id = $1 OR caller_organization_id = $1) AND status IN ('queued', 'running')`;

@Injectable()
export class OpenRunsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Queued and running runs that the person asked for. */
  of({ organizationId, userId }: PersonIn): Promise<{ id: string; organizationId: string }[]> {
    return this.dataSource.query(OPEN, [organizationId, userId]);
  }
}
