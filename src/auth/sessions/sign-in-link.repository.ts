import { Injectable } from '@nestjs/common';
import { DataSource, LessThan } from 'typeorm';
import type { Transaction } from '../../platform/database';
import { SignInLinkEntity } from './sign-in-link.entity';

export interface LinkedMember {
  readonly organizationId: string;
  readonly userId: string;
}

@Injectable()
export class SignInLinkRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Also drops those of yesterday. */
  async insert(link: Omit<SignInLinkEntity, 'createdAt'>, tx: Transaction): Promise<void> {
    await tx.getRepository(SignInLinkEntity).delete({ expiresAt: LessThan(new Date()) });
    await tx.getRepository(SignInLinkEntity).insert(link);
  }

  async removeOfMember({ organizationId, userId }: LinkedMember, tx: Transaction): Promise<void> {
    await tx.getRepository(SignInLinkEntity).delete({ organizationId, userId });
  }

  /** The member that it is for, once: of two who ask at the same moment one gets null. */
  async consume(hash: string): Promise<LinkedMember | null> {
    const result = await this.dataSource
      .createQueryBuilder()
      .delete()
      .from(SignInLinkEntity)
      .where('hash = :hash AND expires_at > now()', { hash })
      .returning('organization_id, user_id')
      .execute();
    const [row] = result.raw as { organization_id: string; user_id: string }[];
    return row === undefined ? null : { organizationId: row.organization_id, userId: row.user_id };
  }
}
