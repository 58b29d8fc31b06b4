import type { Principal } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { Brackets, DataSource, type SelectQueryBuilder } from 'typeorm';
import { type Transaction, VersionedScope } from '../infrastructure/database';
import { RubricEntity } from './rubric.entity';

export interface RubricFilter {
  readonly text: string | null;
  readonly ownOnly: boolean;
  readonly limit: number;
  /** Id of the last item of the previous page. */
  readonly after: string | null;
}

@Injectable()
export class RubricRepository {
  constructor(private readonly dataSource: DataSource) {}

  visibleTo(principal: Principal, tx?: Transaction): VisibleRubrics {
    return new VisibleRubrics((tx ?? this.dataSource.manager).getRepository(RubricEntity), principal);
  }
}

/** Rubrics that a user may read: own ones and those shown to the organization. */
export class VisibleRubrics extends VersionedScope<RubricEntity> {
  constructor(
    rows: ConstructorParameters<typeof VersionedScope<RubricEntity>>[0],
    private readonly principal: Principal,
  ) {
    super(rows, principal.organizationId);
  }

  override find(id: string): Promise<RubricEntity | null> {
    return this.visible().andWhere('rubric.id = :id', { id }).getOne();
  }

  override lock(id: string): Promise<RubricEntity | null> {
    return this.visible().andWhere('rubric.id = :id', { id }).setLock('pessimistic_write').getOne();
  }

  findByOrigin(originId: number): Promise<RubricEntity | null> {
    return this.visible().andWhere('rubric.originId = :originId', { originId }).getOne();
  }

  findByOriginKey(originKey: string): Promise<RubricEntity | null> {
    return this.visible().andWhere('rubric.originKey = :originKey', { originKey }).getOne();
  }

  /** Up to two rubrics with this `rubricId`, own ones first. */
  findByKey(rubricKey: string): Promise<RubricEntity[]> {
    return this.visible()
      .andWhere('rubric.rubricKey = :rubricKey', { rubricKey })
      .orderBy('rubric.owner_id = :own', 'DESC')
      .setParameter('own', this.principal.userId)
      .addOrderBy('rubric.id', 'ASC')
      .limit(2)
      .getMany();
  }

  async page({ text, ownOnly, limit, after }: RubricFilter): Promise<[rows: RubricEntity[], total: number]> {
    const filtered = this.visible();
    if (ownOnly) filtered.andWhere('rubric.ownerId = :own', { own: this.principal.userId });
    if (text !== null) filtered.andWhere('strpos(lower(rubric.title), lower(:text)) > 0', { text });
    const total = await filtered.getCount();
    if (after !== null) filtered.andWhere('rubric.id < :after', { after });
    return [await filtered.orderBy('rubric.id', 'DESC').limit(limit).getMany(), total];
  }

  private visible(): SelectQueryBuilder<RubricEntity> {
    const { organizationId, userId } = this.principal;
    return this.rows
      .createQueryBuilder('rubric')
      .where('rubric.organizationId = :organizationId', { organizationId })
      .andWhere(
        new Brackets((either) =>
          either
            .where('rubric.ownerId = :userId', { userId })
            .orWhere('rubric.visibility = :open', { open: 'organization' }),
        ),
      );
  }
}
