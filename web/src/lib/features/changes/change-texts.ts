import { catalogues } from '$lib/app/catalogues/catalogues.svelte';
import { processorText } from '$lib/app/catalogues/classic-processors';
import type { PipelineTool } from '$lib/app/catalogues/assistant';
import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import type { Reference } from '$lib/features/schema-form/schema-form';
import { humanised } from '$lib/kit/ui/wording';
import { titleOf, valueText } from '$lib/features/schema-form/schema-texts';
import { strategyName } from '$lib/features/strategies/known-strategies.svelte';
import { entryName as pipelineName, type Names, toolName } from '$lib/features/tools';
import { type Change, type Entry, kindOf } from './changes';
import { partLabel } from './part-label';

const PREFIXES = ['tools.field'];

/** Things that settings of tools refer to, by their keys. */
const REFERENCES: Readonly<Record<string, Reference>> = {
  collections: 'knowledge_base',
  RAG_collections: 'knowledge_base',
  kb_id: 'knowledge_base',
  rubric_id: 'rubric',
  'metadata.rubric_id': 'rubric',
  file_path: 'file',
  'metadata.file_path': 'file',
  assistant_id: 'assistant',
};

const short = (text: string): string => (text.length > 80 ? `${text.slice(0, 79).trimEnd()}…` : text);

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

const processorName =
  (find: 'findPrompt' | 'findRag') =>
  (name: string): string => {
    const known = catalogues.knownProcessors[find](name);
    return known === undefined ? name : processorText(known).name;
  };

/** Values with a wording of their own, by the path. */
const WORDED: Readonly<Record<string, (value: string) => string>> = {
  'metadata.prompt_processor': processorName('findPrompt'),
  'metadata.rag_processor': processorName('findRag'),
  'metadata.orchestrator': strategyName,
  type: (type) => t(type === 'multi_tool' ? 'assistants.type.multi_tool' : 'assistants.type.classic'),
  placeholder: (name) => `{${name}}`,
};

const shortOf = (path: string, value: unknown, names: Names): string => short(valueOf(path, value, names));

/** A value as people read it; structures as JSON. */
function valueOf(path: string, value: unknown, names: Names): string {
  if (isNothing(value)) return t('changes.nothing');
  const kind = REFERENCES[path];
  if (kind !== undefined)
    return [value]
      .flat()
      .map((each) => names.of(kind, each) ?? String(each))
      .join(', ');
  if (typeof value === 'boolean') return t(value ? 'changes.on' : 'changes.off');
  if (typeof value === 'number') return i18n.number(value);
  if (typeof value === 'string') return WORDED[path]?.(value) ?? valueText(PREFIXES, path, value);
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ');
  return JSON.stringify(value);
}

/** The name of a tool as on its card; of a function what its author called it, else what it reads, else its kind. */
export function entryName(entry: Entry, names: Names): string {
  const plugin = toolName({ name: kindOf(entry) });
  if (typeof entry === 'string') return plugin;
  if (typeof entry['plugin'] === 'string') return pipelineName(entry as PipelineTool, names);
  const { name } = entry as Readonly<Record<string, unknown>>;
  if (typeof name === 'string' && name !== '') return name;
  const settings = { ...entry, ...(entry['config'] as object | undefined) } as Readonly<Record<string, unknown>>;
  const read = Object.entries(REFERENCES).flatMap(([key, kind]) =>
    [settings[key] ?? []].flat().map((each) => names.of(kind, each) ?? String(each)),
  );
  return read.length === 0 ? plugin : `${plugin} “${read.join(', ')}”`;
}

const settingTitle = (path: string): string => i18n.maybe(`changes.setting.${path}`) ?? titleOf(PREFIXES, path, {});

interface Sides {
  readonly path: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

const bothSides = ({ path, from, to }: Sides, names: Names): { from: string; to: string } => ({
  from: shortOf(path, from, names),
  to: shortOf(path, to, names),
});

function valueLabel(path: string): string {
  const label = path === 'type' ? t('changes.type') : partLabel(path);
  return label === path ? humanised(path.replace(/^metadata\./, '')) : label;
}

/** A field of a definition as people read it whole: each tool with its settings below, each switch on a line of its own. */
export function fieldText(path: string, value: unknown, names: Names): string {
  if (isNothing(value)) return '';
  if (typeof value === 'string') return WORDED[path]?.(value) ?? value;
  if (path === 'metadata.tools' || path === 'metadata.functions')
    return (value as readonly Entry[]).map((entry) => entryText(entry, names)).join('\n');
  if (typeof value !== 'object' || Array.isArray(value)) return valueOf(path, value, names);
  return membersText(value as Values, (name) => valueLabel(`${path}.${name}`), names);
}

type Values = Readonly<Record<string, unknown>>;

function entryText(entry: Entry, names: Names): string {
  const name = entryName(entry, names);
  if (typeof entry === 'string') return name;
  const { plugin: _plugin, type: _type, enabled = true, config, ...rest } = entry as Values;
  const settings = membersText({ ...rest, ...(config as Values | undefined) }, settingTitle, names);
  return [`${name}${enabled === false ? ` (${t('changes.off')})` : ''}`, settings.replace(/^/gm, '  ')]
    .join('\n')
    .trimEnd();
}

/** Members of both sides in one order: stored JSON comes back in an order of its own. */
const membersText = (values: Values, label: (name: string) => string, names: Names): string =>
  Object.entries(values)
    .filter(([, value]) => !isNothing(value))
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([name, value]) => `${label(name)}: ${valueOf(name, value, names)}`)
    .join('\n');

/** A change in one line: `Strategy: Sequential → By dependency`. `isNew`: there was nothing before. */
export function changeText(change: Change, names: Names, isNew = false): string {
  switch (change.key) {
    case 'text':
      if (isNew) return partLabel(change.path);
      return i18n.count('changes.text', change.lines, { part: partLabel(change.path) });
    case 'value': {
      const part = valueLabel(change.path);
      const { from, to } = bothSides(change, names);
      return isNew ? t('changes.first_value', { part, to }) : t('changes.value', { part, from, to });
    }
    case 'setting': {
      const values = { setting: settingTitle(change.path), ...bothSides(change, names) };
      return t('changes.setting', { name: entryName(change.entry, names), ...values });
    }
    case 'moved': {
      const values = { from: i18n.number(change.from), to: i18n.number(change.to) };
      return t(`changes.${change.part}.moved`, { name: entryName(change.entry, names), ...values });
    }
    default:
      if (isNew) return t(`changes.${change.part}.first`, { name: entryName(change.entry, names) });
      return t(`changes.${change.part}.${change.key}`, { name: entryName(change.entry, names) });
  }
}
