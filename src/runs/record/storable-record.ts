import { isJsonObject } from '../../kernel';
import { storable } from '../report/cut';
import type { RunRecord } from '../run/run.types';

function deep(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(deep);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storable(name), deep(member)]));
}

/** A copy whose texts jsonb accepts, for rows that the database refused. Events stay as they are: their column is `json`. */
export const storableRecord = (record: RunRecord): RunRecord => {
  const { events } = record;
  return { ...(deep({ ...record, events: [] }) as RunRecord), events };
};

/** Identity and outcome only, for rows whose storable copy was refused as well. */
export const bareRecord = (record: RunRecord): RunRecord =>
  storableRecord({ ...record, tools: [], sources: [], passages: [], report: null, plan: null, usage: null });
