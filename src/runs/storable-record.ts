import { isJsonObject } from '../kernel';
import { storable } from './report/cut';
import type { RunRecord } from './run.types';

function deep(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(deep);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storable(name), deep(member)]));
}

/**
 * The record with every text in a form that jsonb takes; costs a copy, so only rows that were refused go through it. Events
 * stay as they were told: they are kept as plain JSON.
 */
export const storableRecord = (record: RunRecord): RunRecord => {
  const { events } = record;
  return { ...(deep({ ...record, events: [] }) as RunRecord), events };
};

/** Who ran what, and how it ended: for when even the storable texts are refused. */
export const bareRecord = (record: RunRecord): RunRecord =>
  storableRecord({ ...record, tools: [], sources: [], report: null, plan: null, usage: null });
