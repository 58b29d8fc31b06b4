import type { JsonObject } from '@bellwether/kernel';
import { type PipelineTool, type Tool, ToolCatalogue, type ToolDefinition, type ToolStats } from '../../../tools';
import { factsOf, plannableTools, type ToolFacts } from '../tool-profile';

const SEARCH_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    collections: { type: 'array', items: { type: 'string' } },
    top_k: { type: 'integer', minimum: 1, maximum: 20 },
    threshold: { type: 'number', minimum: 0, maximum: 1 },
  },
  additionalProperties: false,
};

const tool = (name: string, description: string, more: Partial<ToolDefinition>): Tool => ({
  run: () => Promise.resolve({ content: '', sources: [], confidence: null }),
  definition: {
    name,
    aliases: [],
    display_name: name.replaceAll('_', ' '),
    description,
    placeholder: 'context',
    category: 'custom',
    version: '1.0.0',
    config_schema: { type: 'object' },
    kind: 'pipeline',
    icon: 'bug',
    allow_multiple: true,
    parameters: {},
    examples: [],
    capabilities: [],
    limitations: [],
    cost: { unit: 'none', estimate: 0 },
    ...more,
  },
});

const search = (name: string, description: string, capabilities: readonly string[]): Tool =>
  tool(name, description, { role: 'search', config_schema: SEARCH_SCHEMA, capabilities });

/** Tools like those of the house, without what they do. */
export const CATALOGUE = new ToolCatalogue([
  search('vector_search', 'Finds passages whose meaning is nearest to the question.', ['semantic_search']),
  search('keyword_search', 'Finds passages that hold the words of the question.', ['exact_match']),
  search('hybrid_search', 'Finds passages by meaning and by words.', ['exact_match', 'semantic_search']),
  tool('rubric_rag', 'Puts an assessment rubric into the prompt, so that feedback follows its criteria.', {
    role: 'content',
    placeholder: 'rubric',
  }),
  tool('single_file_rag', 'Puts the text of one of your files into the prompt.', {
    role: 'content',
    placeholder: 'file',
  }),
  tool('moodle_user', 'Puts the id of the person who asks into the prompt.', {
    role: 'personal',
    placeholder: 'moodle_user',
  }),
  tool('synthesis', 'Joins what earlier tools found.', {
    role: 'synthesis',
    placeholder: 'synthesis',
    cost: { unit: 'tokens', estimate: 4_000 },
  }),
  tool('validation', 'Checks which claims of a text are supported.', {
    role: 'check',
    placeholder: 'validation',
  }),
  tool('no_rag', 'Adds nothing.', { role: 'nothing', placeholder: null }),
]);

export type ScriptedTool = string | (Partial<PipelineTool> & { readonly plugin: string });

/** One entry per given tool, placeholders numbered from 1. */
export const pipeline = (...tools: readonly ScriptedTool[]): PipelineTool[] =>
  tools.map((given, index): PipelineTool => {
    const { plugin, ...more } = typeof given === 'string' ? { plugin: given } : given;
    const type = CATALOGUE.find(plugin)?.definition.placeholder ?? null;
    return {
      index,
      plugin,
      placeholder: type === null ? null : `${index + 1}_${type}`,
      enabled: true,
      config: {},
      on_error: 'continue',
      timeout_ms: null,
      retries: null,
      cache: true,
      depends_on: [],
      on_dependency_failure: 'skip',
      when: null,
      fallback: null,
      ...more,
    };
  });

export const NO_STATISTICS = { of: (): ToolStats | null => null };

export const scriptedFacts = (...tools: readonly ScriptedTool[]): readonly ToolFacts[] =>
  factsOf(plannableTools(pipeline(...tools), CATALOGUE), 'organization', NO_STATISTICS);
