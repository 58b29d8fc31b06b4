import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../../platform/database';
import { SignInLinkEntity } from './sign-in-link.entity';

export interface LinkedMember {
  readonly organizationId: string;
  readonly userId: string;
}

@Injectable()
export class SignInLinkRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the expiry, by the clock of the database. Deletes expired links. */
  async insert(
    { id, organizationId, userId, hash }: Omit<SignInLinkEntity, 'createdAt' | 'expiresAt'>,
    tx: Transaction,
  ): Promise<Date> {
    await tx.query('DELETE FROM sign_in_links WHERE expires_at < now()');
    const [row] = await tx.query<{ expiresAt: Date }[]>(
      `INSERT INTO sign_in_links (id, organization_id, user_id, hash, expires_at)
       VALUES ($1, $2, $3, $4, now() + interval '1 hour') RETURNING expires_at AS "expiresAt"`,
      [id, organizationId, userId, hash],
    );
    if (row === undefined) throw new Error('A sign-in link was not written');
    return row.expiresAt;
  }

  async removeOfMember({ organizationId, userId }: LinkedMember, tx: Transaction): Promise<void> {
    await tx.getRepository(SignInLinkEntity).delete({ organizationId, userId });
  }

  /** Consumes the link: of two concurrent calls one gets null. */
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
