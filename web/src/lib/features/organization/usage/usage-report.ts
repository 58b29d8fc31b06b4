import { api, must, type Schema } from '$lib/kit/api/client';
import type { paths } from '$lib/kit/api/schema';
import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import { money } from '$lib/features/limits/money';
import type { Measure, PlotDay } from './plot';

export type Report = Schema<'UsageReportDto'>;
export type Row = Schema<'UsageRowDto'>;
export type Figures = Schema<'UsageFiguresDto'>;
export type Split = 'model' | 'assistant';

export interface Range {
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;

/** Day in UTC, like the days of the service. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

export const lastDays = (count: number, now: number): Range => ({
  from: dayOf(now - (count - 1) * DAY_MS),
  to: dayOf(now),
});

export const thisMonth = (now: number): Range => ({ from: `${dayOf(now).slice(0, 7)}-01`, to: dayOf(now) });

export const valueOf = (figures: Figures, measure: Measure): number => {
  if (measure === 'cost') return figures.cost_micros / 1e6;
  return measure === 'runs' ? figures.runs : figures.prompt_tokens + figures.completion_tokens;
};

export const amountOf = (value: number, measure: Measure, currency: string | null): string =>
  measure === 'cost' ? money(value, currency) : i18n.number(value);

type Named = Pick<Row, 'assistant' | 'model' | 'person' | 'key'>;

const modelName = ({ provider, model }: Schema<'UsageModelDto'>): string =>
  model === '' ? t('usage.no_model') : `${model} (${provider})`;

const assistantName = ({ id, name }: Schema<'UsageAssistantDto'>): string => {
  if (id === null) return t('usage.no_assistant');
  return name ?? t('usage.deleted_assistant', { id: String(id) });
};

function personName({ name, email, pseudonym, organization, user_id }: Schema<'UsagePersonDto'>): string {
  if (organization !== null) return t('usage.other_organization', { name: organization.name ?? organization.id });
  return name ?? pseudonym ?? email ?? user_id ?? t('usage.nobody');
}

/** The name of a row or part. */
export function nameOf({ assistant, model, person, key }: Named): string {
  if (assistant !== undefined) return assistantName(assistant);
  if (model !== undefined) return modelName(model);
  if (person !== undefined) return personName(person);
  return key?.name ?? key?.pseudonym ?? t('usage.no_key');
}

export const plotDays = (rows: readonly Row[], measure: Measure): readonly PlotDay[] =>
  rows.map(({ day = '', parts = [] }) => ({
    day,
    shares: parts.map((part) => ({
      key: JSON.stringify(part.model ?? part.assistant?.id),
      label: nameOf(part),
      value: valueOf(part, measure),
    })),
  }));

type Query = NonNullable<paths['/api/v1/organizations/{slug}/usage']['get']['parameters']['query']>;

/** One page of a report. The same path answers CSV too, which this never asks for. */
export async function usageOf(slug: string, query: Query): Promise<Report> {
  const params = { path: { slug }, query };
  return must(await api.GET('/api/v1/organizations/{slug}/usage', { params })) as Report;
}
