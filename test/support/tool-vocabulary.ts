import type { Problem } from '@bellwether/kernel';
import { isJsonObject } from '@bellwether/kernel';
import type { MetadataRules } from '../../src/assistants/definition';
import type { OrchestratorStrategy } from '../../src/orchestrators';
import { processorsOver } from '../../src/processors';
import { STRATEGY_PLUGINS } from '../../src/orchestrators/catalog';

const PLACEHOLDERS: Readonly<Record<string, string | null>> = {
  simple_rag: 'context',
  rubric_rag: 'rubric',
  single_file_rag: 'file',
  no_rag: null,
};
const ALIASES: Readonly<Record<string, string>> = {
  rubric: 'rubric_rag',
  single_file: 'single_file_rag',
  no_tool: 'no_rag',
};

const STRATEGIES: ReadonlyMap<string, OrchestratorStrategy> = new Map(
  STRATEGY_PLUGINS.map(({ key, useClass }): [string, OrchestratorStrategy] => [key, new useClass({} as never)]),
);

const PROCESSORS = processorsOver(new Map());

const own = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** The four tools of the specifications, without their modules. A config is wrong where `top_k` is above 20. */
export const specifiedTools: MetadataRules = {
  findPrompt: (name) => PROCESSORS.findPrompt(name),
  findRag: (name) => PROCESSORS.findRag(name),
  canonicalName: (name) => own(ALIASES, name) ?? name,
  placeholderOf: (name) => own(PLACEHOLDERS, own(ALIASES, name) ?? name),
  placeholderTypes: () => ['context', 'rubric', 'file'],
  closestTool: (name) => (name.startsWith('simple') ? 'simple_rag' : null),
  allowsMultiple: (name) => name !== 'no_rag',
  configProblems: (_, config): Problem[] => {
    if (!isJsonObject(config)) return [{ path: '', message: 'must be an object' }];
    return typeof config.top_k === 'number' && config.top_k > 20 ? [{ path: 'top_k', message: 'must be <= 20' }] : [];
  },
  looksAtAnswer: (_, { checks }) => checks === 'answer',
  needsOf: (name, { needs }) => {
    if (typeof needs === 'string') return { tool: needs };
    return name === 'rubric_rag' && needs === true ? { tool: null } : null;
  },
  strategies: () => [...STRATEGIES.keys()],
  strategy: (name) => STRATEGIES.get(name)?.definition,
  optionProblems: (_, options): Problem[] =>
    isJsonObject(options) && 'odd' in options ? [{ path: 'odd', message: 'is not a setting of this strategy' }] : [],
};
