import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import './plan-outcome.entity';
import { KEY_NAMES, type OutcomeRow, SUM_NAMES } from './outcome-sums';
import { AcrossOrganizations, addOnce } from '../../../infrastructure/database';

const TYPES: Readonly<Record<(typeof KEY_NAMES)[number] | (typeof SUM_NAMES)[number], string>> = {
  organizationId: 'uuid',
  assistantId: 'int',
  queryClass: 'text',
  tools: 'text',
  planner: 'text',
  arm: 'text',
  day: 'date',
  plans: 'int',
  steps: 'int',
  failedSteps: 'int',
  durationSum: 'float8',
  planningSum: 'float8',
  tokens: 'float8',
  confidenceSum: 'float8',
  confidences: 'int',
};

const columnOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const listOf = <Name extends string>(names: readonly Name[], each: (name: Name) => string): string =>
  names.map(each).join(', ');
const NAMES = [...KEY_NAMES, ...SUM_NAMES];

/** Deleted assistants are left out. Sorted rows keep two replicas from deadlocking. */
const ADD = `
  ${addOnce('$2')}
  INSERT INTO plan_outcomes AS kept (${listOf(NAMES, columnOf)})
  SELECT ${listOf(NAMES, (name) => `row."${name}"`)}
  FROM jsonb_to_recordset($1::jsonb) AS row (${listOf(NAMES, (name) => `"${name}" ${TYPES[name]}`)})
  JOIN assistants ON assistants.id = row."assistantId" AND assistants.organization_id = row."organizationId"
  WHERE EXISTS (SELECT FROM once)
  ORDER BY ${listOf(KEY_NAMES, (name) => `row."${name}"`)}
  ON CONFLICT ON CONSTRAINT plan_outcomes_pk DO UPDATE SET
    ${listOf(SUM_NAMES, (name) => `${columnOf(name)} = kept.${columnOf(name)} + EXCLUDED.${columnOf(name)}`)}`;

const READ = `
  SELECT ${listOf(['queryClass', 'tools', 'planner', 'arm'], (name) => `${columnOf(name)} AS "${name}"`)},
    to_char(day, 'YYYY-MM-DD') AS day, ${listOf(SUM_NAMES, (name) => `${columnOf(name)} AS "${name}"`)}
  FROM plan_outcomes
  WHERE organization_id = $1 AND assistant_id = $2 AND day > current_date - $3::int
  ORDER BY plan_outcomes.day DESC LIMIT $4`;

const FORGET = `DELETE FROM plan_outcomes WHERE day < current_date - $1::int`;

const MOST_ROWS = 5_000;

type ReadRow = Omit<OutcomeRow['key'], 'organizationId' | 'assistantId'> & OutcomeRow['sums'];

@Injectable()
export class PlanOutcomesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Adds to the stored counts, so that several processes can count. A repetition with the same `id` adds nothing. */
  @AcrossOrganizations('batches')
  async add(id: string, rows: readonly OutcomeRow[]): Promise<void> {
    const flat = rows.map(({ key, sums }) => ({ ...key, ...sums }));
    if (flat.length > 0) await this.dataSource.query(ADD, [JSON.stringify(flat), id]);
  }

  /** Outcomes of the last `days` days, the newest first. */
  @AcrossOrganizations('batches')
  async read(organizationId: string, assistantId: number, days: number): Promise<OutcomeRow[]> {
    const rows = await this.dataSource.query<ReadRow[]>(READ, [organizationId, assistantId, days, MOST_ROWS]);
    return rows.map(({ queryClass, tools, planner, arm, day, ...sums }) => ({
      key: { organizationId, assistantId, queryClass, tools, planner, arm, day },
      sums,
    }));
  }

  @AcrossOrganizations('batches')
  async forget(days: number): Promise<void> {
    await this.dataSource.query(FORGET, [days]);
  }
}
