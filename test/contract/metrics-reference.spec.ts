import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MetricDefinition } from '../../src/infrastructure/telemetry';
import { readQuery } from '../support/promql';
import { sourceFiles } from '../support/source-files';

const ROOT = join(__dirname, '../..');

const isDefinition = (value: unknown): value is MetricDefinition =>
  typeof value === 'object' && value !== null && 'help' in value && 'labels' in value && 'type' in value;

const SOURCES = sourceFiles(/(?<!\.spec)\.ts$/);
const holds = (file: string, pattern: RegExp): boolean => pattern.test(readFileSync(join(ROOT, file), 'utf8'));

/** Definitions that files with metrics export, alone or in a group. */
async function declared(): Promise<readonly MetricDefinition[]> {
  const declares = /^export const \w+ = (?:counter|gauge|histogram)\(/m;
  const files = SOURCES.filter((file) => file.endsWith('.metrics.ts') || holds(file, declares));
  const modules = await Promise.all(files.map((file) => import(join(ROOT, file)) as Promise<object>));
  return modules
    .flatMap((module) => Object.values(module))
    .flatMap((value: unknown) => (isDefinition(value) ? [value] : Object.values(value ?? {}).filter(isDefinition)));
}

const exposed = ({ name, type }: MetricDefinition): string => (type === 'counter' ? `${name}_total` : name);

describe('the metrics', () => {
  it('are all exported, so that the other tests find them', () => {
    expect(SOURCES.filter((file) => holds(file, /^const \w+ = (?:counter|gauge|histogram)\(/m))).toEqual([]);
  });

  it('are all documented with their type and labels, and no other', async () => {
    const page = readFileSync(join(ROOT, 'docs/reference/metrics.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `([a-z0-9_]+)` +\| (counter|gauge|histogram) +\|([^|]*)\|/gm)];
    const documented = rows.map(([, name, type, labels = '']) => [
      name,
      type,
      [...labels.matchAll(/`([^`]+)`/g)].map(([, label]) => label),
    ]);
    const existing = (await declared()).map((each) => [exposed(each), each.type, [...each.labels]]);
    expect(documented.sort()).toEqual(existing.sort());
  });

  it('have names and labels of OpenMetrics, and no label for a person or an assistant', async () => {
    for (const { name, labels, type } of await declared()) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      if (type !== 'gauge') expect(name).not.toMatch(/_(total|count|sum|bucket|info)$/);
      expect(type !== 'histogram' || /_seconds$|_token_usage$/.test(name)).toBe(true);
      expect(labels.length).toBeLessThanOrEqual(4);
      for (const label of labels) expect(label).not.toMatch(/user|person|assistant_id|run_id|email|key/);
    }
  });
});

/** Labels that Prometheus adds, by series. */
const ADDED = ['job', 'instance', 'le'];

/** Every series that exists, with its labels. */
async function series(): Promise<ReadonlyMap<string, readonly string[]>> {
  const all = (await declared()).flatMap((definition) => {
    const suffixes = definition.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    return suffixes.map((suffix) => [exposed(definition) + suffix, [...definition.labels, ...ADDED]] as const);
  });
  return new Map([...all, ['up', ADDED]]);
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

function dashboardQueries(): [where: string, expression: string][] {
  const text = readFileSync(join(ROOT, 'docker/grafana/bellwether.json'), 'utf8');
  const { panels, templating } = JSON.parse(text) as {
    panels: Panel[];
    templating: { list: { name: string; type: string; query: { query: string } }[] };
  };
  const variables = templating.list
    .filter(({ type }) => type === 'query')
    .map(({ name, query }): [string, string] => [name, /^label_values\((.+), \w+\)$/.exec(query.query)?.[1] ?? '']);
  return [
    ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }): [string, string] => [title, expr])),
    ...variables,
  ];
}

function alertQueries(): [where: string, expression: string][] {
  const text = readFileSync(join(ROOT, 'docker/prometheus/alerts.yaml'), 'utf8');
  return [...text.matchAll(/- alert: (\w+)\n +expr: (.+)\n/g)].map(([, name = '', expression = '']) => [
    name,
    expression,
  ]);
}

describe('the dashboard and the alert rules', () => {
  it('ask for series and labels that exist', async () => {
    const existing = await series();
    const queries = [...dashboardQueries(), ...alertQueries()];
    expect(queries.length).toBeGreaterThan(60);
    for (const [where, expression] of queries) {
      const { series: used, grouped } = readQuery(expression);
      expect(used.length).toBeGreaterThan(0);
      for (const { series: name, labels } of used) {
        const known = existing.get(name);
        expect([where, name, known === undefined ? 'does not exist' : 'exists']).toEqual([where, name, 'exists']);
        const unknown = labels.filter((label) => !known?.includes(label));
        expect([where, name, unknown]).toEqual([where, name, []]);
      }
      const ofSeries = used.flatMap(({ series: name }) => existing.get(name) ?? []);
      expect([where, grouped.filter((label) => !ofSeries.includes(label))]).toEqual([where, []]);
    }
  });

  it('show every metric on the dashboard', async () => {
    const shown = new Set(
      dashboardQueries().flatMap(([, expression]) => readQuery(expression).series.map(({ series: name }) => name)),
    );
    const missing = (await declared()).filter((each) => ![...shown].some((name) => name.startsWith(exposed(each))));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('tell the reader of each alert what happened and what to do', () => {
    const text = readFileSync(join(ROOT, 'docker/prometheus/alerts.yaml'), 'utf8');
    const count = (pattern: RegExp): number => [...text.matchAll(pattern)].length;
    const alerts = count(/- alert: /g);
    expect(alertQueries()).toHaveLength(alerts);
    expect([count(/ {10}summary: '/g), count(/ {10}description: '/g), count(/severity: (critical|warning) /g)]).toEqual(
      [alerts, alerts, alerts],
    );
  });
});
