import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ActivitySettings, ActivityWindow } from '../courses/activity.entity';

export interface ActivityRules {
  readonly id: string;
  readonly assistantIds: readonly number[];
  readonly settings: Partial<ActivitySettings>;
}

export interface WindowedActivity {
  readonly id: string;
  readonly windows: readonly ActivityWindow[];
}

const WINDOWED = `
  SELECT id, settings->'windows' AS windows FROM lti_activities
  WHERE organization_id = $1 AND assistant_ids @> ARRAY[$2::int] AND jsonb_array_length(settings->'windows') > 0`;

/** The parts of activities that decide whether a question may be asked. */
@Injectable()
export class ActivityRulesRepository {
  constructor(private readonly dataSource: DataSource) {}

  async find(organizationId: string, id: string): Promise<ActivityRules | null> {
    const [row] = await this.dataSource.query<ActivityRules[]>(
      `SELECT id, assistant_ids AS "assistantIds", settings FROM lti_activities WHERE organization_id = $1 AND id = $2`,
      [organizationId, id],
    );
    return row ?? null;
  }

  windowed(organizationId: string, assistantId: number): Promise<WindowedActivity[]> {
    return this.dataSource.query(WINDOWED, [organizationId, assistantId]);
  }
}
