import { Injectable } from '@nestjs/common';
import { DataSource, type Repository } from 'typeorm';
import { TenantScope, type Transaction } from '../../../src/infrastructure/database';
import { GradeEntity } from './grade.entity';

/** Grades of one answer. */
const MOST_GRADES = 1_000;

@Injectable()
export class GradeRepository {
  constructor(private readonly dataSource: DataSource) {}

  within(organizationId: string, tx?: Transaction): GradeScope {
    return new GradeScope((tx ?? this.dataSource.manager).getRepository(GradeEntity), organizationId);
  }
}

class GradeScope extends TenantScope<GradeEntity> {
  constructor(rows: Repository<GradeEntity>, organizationId: string) {
    super(rows, organizationId);
  }

  /** Newest first. */
  ofActivity(activityId: string): Promise<GradeEntity[]> {
    return this.rows.find({ where: this.where({ activityId }), order: { id: 'DESC' }, take: MOST_GRADES });
  }

  ofActivityById(activityId: string, id: string): Promise<GradeEntity | null> {
    return this.rows.findOneBy(this.where({ activityId, id }));
  }
}
