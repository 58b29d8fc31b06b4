import type { Pseudonymize } from '../../organizations';
import type { UsageFiguresDto, UsagePartDto, UsageRowDto } from './usage.dto';
import { daysOf, type Period } from './usage-period';
import type { DayRow, SummedRow } from './usage-report.repository';
import {
  type AssistantName,
  type Figures,
  FIGURES,
  type Grouping,
  type KeyName,
  type ModelName,
  NO_USAGE,
  type PersonName,
  type Split,
} from './usage.types';

export const figuresOf = (row: Figures): UsageFiguresDto =>
  Object.fromEntries(FIGURES.map((name) => [name, row[name]])) as unknown as UsageFiguresDto;

const assistantOf = ({ assistantId = null, name = null }: SummedRow): AssistantName => ({ id: assistantId, name });
const modelOf = ({ provider = '', model = '' }: SummedRow): ModelName => ({ provider, model });

const organizationOf = ({ callerOrganizationId: id = null, callerOrganizationName: name = null }: SummedRow) =>
  id === null ? null : { id, name };

/** `pseudonymize` null shows people and keys with their names. */
function personOf(row: SummedRow, pseudonymize: Pseudonymize | null): PersonName {
  const organization = organizationOf(row);
  const { userId = null, name = null, email = null } = row;
  if (pseudonymize === null) return { user_id: userId, name, email, pseudonym: null, organization };
  const pseudonym = userId === null ? null : pseudonymize(userId);
  return { user_id: null, name: null, email: null, pseudonym, organization };
}

function keyOf({ keyId = null, name = null }: SummedRow, pseudonymize: Pseudonymize | null): KeyName {
  if (pseudonymize === null || keyId === null) return { id: keyId, name, pseudonym: null };
  return { id: null, name: null, pseudonym: pseudonymize(keyId) };
}

/** A row of a report that is not by day. */
export function groupRow(by: Exclude<Grouping, 'day'>, row: SummedRow, pseudonymize: Pseudonymize | null): UsageRowDto {
  const figures = figuresOf(row);
  if (by === 'assistant') return { assistant: assistantOf(row), ...figures };
  if (by === 'model') return { model: modelOf(row), ...figures };
  if (by === 'person') return { person: personOf(row, pseudonymize), ...figures };
  return { key: keyOf(row, pseudonymize), ...figures };
}

export const partOf = (split: Split, row: SummedRow): UsagePartDto =>
  split === 'model' ? { model: modelOf(row), ...figuresOf(row) } : { assistant: assistantOf(row), ...figuresOf(row) };

/** One row per day of the period, with zeros where nothing was used. */
export function dayRows(
  period: Period,
  days: readonly DayRow[],
  parts: readonly (SummedRow & DayRow)[],
  split: Split | undefined,
): UsageRowDto[] {
  const byDay = new Map(days.map((row) => [row.day, row]));
  const partsByDay = new Map<string, UsagePartDto[]>();
  for (const row of split === undefined ? [] : parts) {
    partsByDay.set(row.day, [...(partsByDay.get(row.day) ?? []), partOf(split as Split, row)]);
  }
  return daysOf(period).map((day) => ({
    day,
    ...figuresOf(byDay.get(day) ?? NO_USAGE),
    ...(split === undefined ? {} : { parts: partsByDay.get(day) ?? [] }),
  }));
}
