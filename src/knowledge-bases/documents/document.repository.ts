import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, LessThan, MoreThan } from 'typeorm';
import { TenantScope, type Transaction } from '../../platform/database';
import { DocumentEntity } from './document.entity';
import type { DocumentStatus } from '../knowledge-base.types';

export interface DocumentFilter {
  readonly knowledgeBaseId: string;
  readonly status: DocumentStatus | null;
  readonly limit: number;
  /** Id of the last one of the page before. */
  readonly after: string | null;
}

@Injectable()
export class DocumentRepository {
  constructor(private readonly dataSource: DataSource) {}

  within(organizationId: string, tx?: Transaction): DocumentScope {
    return new DocumentScope((tx ?? this.dataSource.manager).getRepository(DocumentEntity), organizationId);
  }

  /** Documents of every organization that wait, or whose worker has not been heard of since `staleBefore`. */
  unfinished(staleBefore: Date): Promise<{ id: string; organizationId: string }[]> {
    return this.dataSource.manager.find(DocumentEntity, {
      select: { id: true, organizationId: true },
      where: [{ status: 'pending' }, { status: 'processing', updatedAt: LessThan(staleBefore) }],
      order: { id: 'ASC' },
    });
  }
}

export class DocumentScope extends TenantScope<DocumentEntity> {
  findIn(knowledgeBaseId: string, id: string): Promise<DocumentEntity | null> {
    return this.rows.findOneBy(this.where({ id, knowledgeBaseId }));
  }

  findByName(knowledgeBaseId: string, filename: string): Promise<DocumentEntity | null> {
    return this.rows.findOneBy(this.where({ knowledgeBaseId, filename }));
  }

  async page({
    knowledgeBaseId,
    status,
    limit,
    after,
  }: DocumentFilter): Promise<[rows: DocumentEntity[], total: number]> {
    const filter = this.where({ knowledgeBaseId, ...(status === null ? {} : { status }) });
    const where = after === null ? filter : { ...filter, id: MoreThan(after) };
    const rows = await this.rows.find({ where, order: { id: 'ASC' }, take: limit });
    return [rows, await this.rows.countBy(filter)];
  }

  /** Takes a waiting document, or one whose worker is gone, for processing; null when somebody else did. */
  async claim(id: string, staleBefore: Date): Promise<DocumentEntity | null> {
    const result = await this.rows
      .createQueryBuilder()
      .update()
      .set({ status: 'processing', attempts: () => 'attempts + 1', updatedAt: () => 'now()' })
      .where('id = :id AND organization_id = :organizationId', { id, organizationId: this.organizationId })
      .andWhere(`(status = 'pending' OR (status = 'processing' AND updated_at < :staleBefore))`, { staleBefore })
      .execute();
    return result.affected === 1 ? this.find(id) : null;
  }

  /** Ends one attempt, unless the document was replaced or deleted meanwhile. */
  async finish(
    id: string,
    sha256: string,
    result: Partial<Pick<DocumentEntity, 'status' | 'error'>>,
  ): Promise<boolean> {
    const { affected } = await this.rows.update(this.where({ id, sha256 }), result);
    return affected === 1;
  }

  async removeHidden(id: string, error: string): Promise<void> {
    await this.rows.delete(this.where({ id, status: 'failed', error, generation: IsNull() }));
  }

  /** Some document of the knowledge base, while there is one. */
  first(knowledgeBaseId: string): Promise<DocumentEntity | null> {
    return this.rows.findOne({ where: this.where({ knowledgeBaseId }), order: { id: 'ASC' } });
  }
}
