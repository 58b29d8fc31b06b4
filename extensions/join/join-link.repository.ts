import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { AcrossOrganizations, type Transaction } from '../../src/infrastructure/database';
import { JoinLinkEntity } from './join-link.entity';

/** SQL: the person who made the link may still let people in. System administrators are no members elsewhere. */
const MAKER = `(
  EXISTS (SELECT FROM members maker
           WHERE maker.organization_id = join_links.organization_id AND maker.user_id = join_links.created_by
             AND NOT maker.disabled AND maker.role <> 'member')
  OR EXISTS (SELECT FROM users maker WHERE maker.id = join_links.created_by AND maker.system_admin))`;

@Injectable()
export class JoinLinkRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Links that are not revoked, the newest first; `createdBy` null: those of everybody. */
  list(organizationId: string, createdBy: string | null): Promise<JoinLinkEntity[]> {
    const own = createdBy === null ? {} : { createdBy };
    const where = { organizationId, revokedAt: IsNull(), ...own };
    return this.dataSource.getRepository(JoinLinkEntity).find({ where, order: { id: 'DESC' } });
  }

  find(organizationId: string, id: string): Promise<JoinLinkEntity | null> {
    return this.dataSource.getRepository(JoinLinkEntity).findOneBy({ organizationId, id, revokedAt: IsNull() });
  }

  async insert(
    link: Omit<JoinLinkEntity, 'createdAt' | 'used' | 'revokedAt'>,
    tx: Transaction,
  ): Promise<JoinLinkEntity> {
    await tx.getRepository(JoinLinkEntity).insert(link);
    return tx.getRepository(JoinLinkEntity).findOneByOrFail({ id: link.id });
  }

  /** False for a link that somebody else has just revoked. */
  async revoke(organizationId: string, id: string, tx: Transaction): Promise<boolean> {
    const { affected } = await tx
      .getRepository(JoinLinkEntity)
      .update({ organizationId, id, revokedAt: IsNull() }, { revokedAt: () => 'now()' });
    return affected === 1;
  }

  /**
   * A code is found before its organization is known; revoked ones too. A link whose maker may make none any more counts as
   * revoked.
   */
  @AcrossOrganizations('sign-in')
  async findByCode(code: string): Promise<JoinLinkEntity | null> {
    const link = await this.dataSource.getRepository(JoinLinkEntity).findOneBy({ code });
    if (link === null) return null;
    const made = await this.dataSource.query<unknown[]>(`SELECT 1 FROM join_links WHERE id = $1 AND ${MAKER}`, [
      link.id,
    ]);
    return made.length === 1 ? link : { ...link, revokedAt: link.revokedAt ?? new Date() };
  }

  /** Counts a person who joins. False when nobody may any more: of two people at the last use one gets in. */
  async use(id: string, tx: Transaction): Promise<boolean> {
    const counted = await tx.query<unknown[]>(
      `WITH counted AS (
         UPDATE join_links SET used = used + 1
          WHERE id = $1 AND revoked_at IS NULL AND used < uses AND (expires_at IS NULL OR expires_at > now())
            AND ${MAKER}
         RETURNING id)
       SELECT id FROM counted`,
      [id],
    );
    return counted.length === 1;
  }
}
