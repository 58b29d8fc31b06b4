import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Questions that were asked in activities. */
export interface UseQuery {
  readonly organizationId: string;
  readonly activityIds: readonly string[];
  /** People whose questions do not count. */
  readonly without: readonly string[];
  readonly from: Date;
}

export interface UseFigures {
  /** Null in the sum of all, and in that of a day. */
  readonly activityId: string | null;
  /** Null in sums over assistants. */
  readonly assistantId: number | null;
  /** UTC date as `YYYY-MM-DD`; null in sums over days. */
  readonly day: string | null;
  readonly questions: number;
  readonly people: number;
}

export interface RatingFigures {
  readonly activityId: string;
  readonly up: number;
  readonly down: number;
  /** Answers that failed. */
  readonly failed: number;
}

export interface AskedQuestion {
  readonly activityId: string;
  readonly userId: string;
  readonly text: string;
}

const COUNTED = `
  FROM conversations c JOIN conversation_messages m ON m.conversation_id = c.id AND m.organization_id = $1
  WHERE c.organization_id = $1 AND c.activity_id = ANY($2) AND c.user_id <> ALL($3) AND m.created_at >= $4`;

const FIGURES = `
  SELECT "activityId", "assistantId", day, count(*)::int AS questions, count(DISTINCT "userId")::int AS people
  FROM (SELECT c.activity_id AS "activityId", c.assistant_id AS "assistantId", c.user_id AS "userId",
               to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day ${COUNTED} AND m.role = 'user') asked
  GROUP BY GROUPING SETS ((), ("activityId"), ("activityId", "assistantId"), (day))`;

const RATINGS = `
  SELECT c.activity_id AS "activityId", count(*) FILTER (WHERE r.rating = 'up')::int AS up,
         count(*) FILTER (WHERE r.rating = 'down')::int AS down, count(*) FILTER (WHERE m.status = 'failed')::int AS failed
  FROM conversations c JOIN conversation_messages m ON m.conversation_id = c.id AND m.organization_id = $1
  LEFT JOIN runs r ON r.id = m.run_id
  WHERE c.organization_id = $1 AND c.activity_id = ANY($2) AND c.user_id <> ALL($3) AND m.created_at >= $4
    AND m.role = 'assistant'
  GROUP BY 1`;

const QUESTIONS = `
  SELECT c.activity_id AS "activityId", c.user_id AS "userId", left(m.text, $6) AS text ${COUNTED} AND m.role = 'user'
  ORDER BY m.created_at DESC LIMIT $5`;

/** Figures of activities, without contents. */
@Injectable()
export class ActivityUseRepository {
  constructor(private readonly dataSource: DataSource) {}

  figures(query: UseQuery): Promise<UseFigures[]> {
    return this.dataSource.query(FIGURES, parametersOf(query));
  }

  ratings(query: UseQuery): Promise<RatingFigures[]> {
    return this.dataSource.query(RATINGS, parametersOf(query));
  }

  /** The newest first, each cut to `chars`. */
  questions(query: UseQuery, most: number, chars: number): Promise<AskedQuestion[]> {
    return this.dataSource.query(QUESTIONS, [...parametersOf(query), most, chars]);
  }
}

const parametersOf = ({ organizationId, activityIds, without, from }: UseQuery): unknown[] => [
  organizationId,
  activityIds,
  without,
  from.toISOString(),
];
