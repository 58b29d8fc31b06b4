import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AcrossOrganizations } from '../../infrastructure/database';
import { ReceiptKeyEntity } from './receipt-key.entity';

@Injectable()
export class ReceiptKeyRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  @AcrossOrganizations('secrets')
  all(): Promise<ReceiptKeyEntity[]> {
    return this.dataSource.getRepository(ReceiptKeyEntity).find({ order: { createdAt: 'DESC', kid: 'ASC' } });
  }

  @AcrossOrganizations('secrets')
  async insert(key: Pick<ReceiptKeyEntity, 'kid' | 'publicKey' | 'privateKey'>): Promise<void> {
    await this.dataSource.getRepository(ReceiptKeyEntity).insert(key);
  }
}
