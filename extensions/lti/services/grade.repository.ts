import { Injectable } from '@nestjs/common';
import { TenantScope, tenantRepository } from '../../../src/infrastructure/database';
import { GradeEntity } from './grade.entity';

/** Grades of one answer. */
const MOST_GRADES = 1_000;

class GradeScope extends TenantScope<GradeEntity> {
  /** Newest first. */
  ofActivity(activityId: string): Promise<GradeEntity[]> {
    return this.rows.find({ where: this.where({ activityId }), order: { id: 'DESC' }, take: MOST_GRADES });
  }

  ofActivityById(activityId: string, id: string): Promise<GradeEntity | null> {
    return this.rows.findOneBy(this.where({ activityId, id }));
  }
}

@Injectable()
export class GradeRepository extends tenantRepository(GradeEntity, () => GradeScope) {}
