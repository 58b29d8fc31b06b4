import { type JsonObject, type Problem, isJsonObject } from '@bellwether/kernel';
import type { SlotGrammar } from '@bellwether/kernel/templates';
import {
  FALLBACK_CONDITIONS,
  ON_DEPENDENCY_FAILURE,
  ON_ERROR,
  type PipelineTool,
  type ToolFallback,
} from '../../tools';
import { classicSettings, exampleQuestions, suggestedQuestions } from './metadata/definition';
import type { AssistantDocument, StoredDefinition, ToolVocabulary } from './metadata/document.types';
import { member, objectMember, textMember } from './metadata/parse-metadata';
import { type ToolEntry, assignPlaceholders, readToolEntries } from './metadata/tool-entries';
import { assistantType, metadataVersion } from './metadata/version';
import { stepV2ToV3 } from './v2-to-v3.step';

/** Reports entries of `tools` and `functions` that a rewrite would lose. */
export function entryProblems(metadata: JsonObject): readonly Problem[] {
  const lists = ['tools', 'functions'].flatMap((key): Problem[] => {
    const value = member(metadata, key) ?? null;
    if (value === null || Array.isArray(value)) return [];
    return [{ path: `metadata.${key}`, code: 'metadata.invalid', message: 'must be an array' }];
  });
  const entries = readToolEntries(metadata).malformed.map((path): Problem => {
    const message = 'must be the name of a function, or an object with `plugin` or `type`';
    return { path: `metadata.${path}`, code: 'tool.invalid', message };
  });
  return [...lists, ...entries];
}

/** Old names of `openai` with functions. */
const CONNECTOR_ALIASES: ReadonlyMap<string, string> = new Map([
  ['openai_tools', 'openai'],
  ['openai_tool_use', 'openai'],
]);

/** Reads any stored version into the normalised form. Never throws. */
export function normaliseDocument(stored: StoredDefinition, tools: ToolVocabulary): AssistantDocument {
  const { metadata } = stored;
  const type = assistantType(metadata);
  const formatVersion = metadataVersion(metadata);
  const entries = readToolEntries(metadata);
  const placeholders = assignPlaceholders(entries.pipeline, formatVersion, tools);
  const pipeline = entries.pipeline.map((entry, position) =>
    pipelineTool(entry, placeholders[position] ?? null, tools),
  );
  return {
    type,
    formatVersion,
    connector: connectorOf(metadata),
    llm: textMember(metadata, 'llm'),
    capabilities: capabilitiesOf(metadata),
    verbose: member(metadata, 'verbose') === true,
    onlyFromMaterial: member(metadata, 'only_from_material') === true,
    suggestedQuestions: suggestedQuestions(metadata),
    orchestrator: textMember(metadata, 'orchestrator') ?? 'sequential',
    orchestratorOptions: objectMember(metadata, 'orchestrator_options'),
    pipeline: type === 'multi_tool' ? pipeline : [],
    functions: entries.functions.map(({ definition }) => definition),
    classic: classicSettings(stored, tools),
    systemPrompt: stored.systemPrompt,
    template:
      formatVersion === 2
        ? stepV2ToV3({ metadata, template: stored.promptTemplate }, tools).template
        : stored.promptTemplate,
    raw: metadata,
  };
}

export function slotGrammar(
  document: Pick<AssistantDocument, 'type' | 'pipeline' | 'classic'>,
  tools: ToolVocabulary,
): SlotGrammar {
  if (document.type === 'classic') return { types: [], names: document.classic.slots };
  const names = document.pipeline.flatMap(({ placeholder }) => (placeholder === null ? [] : [placeholder]));
  return { types: tools.placeholderTypes(), names };
}

export function connectorOf(metadata: JsonObject): string {
  const connector = textMember(metadata, 'connector') ?? 'auto';
  return CONNECTOR_ALIASES.get(connector) ?? connector;
}

function capabilitiesOf(metadata: JsonObject): AssistantDocument['capabilities'] {
  const capabilities = objectMember(metadata, 'capabilities');
  return {
    vision: member(capabilities, 'vision') === true,
    image_generation: member(capabilities, 'image_generation') === true,
  };
}

function pipelineTool(
  { index, plugin, entry }: ToolEntry,
  placeholder: string | null,
  tools: ToolVocabulary,
): PipelineTool {
  const dependsOn = member(entry, 'depends_on');
  const label = textMember(entry, 'label')?.trim() ?? '';
  const questions = exampleQuestions(entry);
  return {
    index,
    plugin: tools.canonicalName(plugin),
    placeholder,
    ...(label === '' ? {} : { label }),
    ...(questions.length === 0 ? {} : { example_questions: questions }),
    enabled: member(entry, 'enabled') !== false,
    config: objectMember(entry, 'config'),
    on_error: oneOf(ON_ERROR, member(entry, 'on_error'), 'continue'),
    timeout_ms: numberOrNull(member(entry, 'timeout_ms'), 1),
    retries: numberOrNull(member(entry, 'retries'), 0),
    cache: member(entry, 'cache') !== false,
    depends_on: Array.isArray(dependsOn) ? dependsOn.filter((name) => typeof name === 'string') : [],
    on_dependency_failure: oneOf(ON_DEPENDENCY_FAILURE, member(entry, 'on_dependency_failure'), 'skip'),
    when: member(entry, 'when') ?? null,
    fallback: toolFallback(member(entry, 'fallback'), tools),
  };
}

const DEFAULT_THRESHOLD = 0.5;

function toolFallback(fallback: unknown, tools: ToolVocabulary): ToolFallback | null {
  const plugin = isJsonObject(fallback) ? textMember(fallback, 'plugin') : null;
  if (!isJsonObject(fallback) || plugin === null) return null;
  const threshold = member(fallback, 'threshold');
  return {
    plugin: tools.canonicalName(plugin),
    config: objectMember(fallback, 'config'),
    condition: oneOf(FALLBACK_CONDITIONS, member(fallback, 'condition'), 'on_error'),
    threshold: typeof threshold === 'number' ? threshold : DEFAULT_THRESHOLD,
  };
}

const oneOf = <T extends string>(choices: readonly T[], value: unknown, otherwise: T): T =>
  choices.find((choice) => choice === value) ?? otherwise;

const numberOrNull = (value: unknown, least: number): number | null =>
  Number.isInteger(value) && (value as number) >= least ? (value as number) : null;
