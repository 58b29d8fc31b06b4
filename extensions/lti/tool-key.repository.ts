import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AcrossOrganizations } from '../../src/infrastructure/database';
import { ToolKeyEntity } from './tool-key.entity';

@Injectable()
export class ToolKeyRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  @AcrossOrganizations('sign-in')
  all(): Promise<ToolKeyEntity[]> {
    return this.dataSource.getRepository(ToolKeyEntity).find({ order: { createdAt: 'DESC', kid: 'ASC' } });
  }

  @AcrossOrganizations('sign-in')
  async insert(key: Pick<ToolKeyEntity, 'kid' | 'publicJwk' | 'privateJwk'>): Promise<void> {
    await this.dataSource.getRepository(ToolKeyEntity).insert(key);
  }

  @AcrossOrganizations('sign-in')
  async removeOlderThan(days: number): Promise<void> {
    await this.dataSource.query(`DELETE FROM lti_keys WHERE created_at < now() - make_interval(days => $1)`, [days]);
  }
}
