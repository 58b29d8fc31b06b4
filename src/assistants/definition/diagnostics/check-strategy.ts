import { isJsonObject, type JsonObject } from '../../../kernel';
import { STRATEGY_SETTINGS, type StrategySetting } from '../../../orchestrators';
import { member, objectMember, textMember } from '../metadata/parse-metadata';
import { readToolEntries, type ToolEntry } from '../metadata/tool-entries';
import { assistantType } from '../metadata/version';
import { joinPath } from './check-tool';
import { type Diagnostic, error, info, reasonOf } from './diagnostic.types';
import type { MetadataRules } from './metadata-rules.types';

export const DEFAULT_STRATEGY = 'sequential';

/** Checks the strategy and its options, and reports tool settings that it ignores. */
export function checkStrategy(metadata: JsonObject, rules: MetadataRules): Diagnostic[] {
  if (assistantType(metadata) !== 'multi_tool') return [];
  const name = textMember(metadata, 'orchestrator') ?? DEFAULT_STRATEGY;
  const reads = rules.strategy(name)?.reads;
  if (reads === undefined)
    return [
      error('orchestrator.unknown', 'metadata.orchestrator', `must be one of ${rules.strategies().join(', ')}`, {
        reason: 'value.enum',
      }),
    ];
  return [
    ...checkOptions(metadata, name, rules),
    ...ignoredSettings(metadata, name, reads, rules),
    ...ignoredClassic(metadata),
  ];
}

/** Choices of a classic assistant that tools have the place of (spec 000 §5.4). */
const CLASSIC_CHOICES = ['rag_processor', 'prompt_processor', 'rubric_id', 'file_path'] as const;
/** Values that LAMB writes into assistants of either type. */
const CUSTOMARY: ReadonlySet<unknown> = new Set([
  ...['', 'no_rag', 'No RAG', 'none'],
  ...['default', 'simple_augment', 'multi_augment'],
]);

const ignoredClassic = (metadata: JsonObject): Diagnostic[] =>
  CLASSIC_CHOICES.filter((key) => {
    const value = member(metadata, key) ?? '';
    return !CUSTOMARY.has(value);
  }).map((key) =>
    info('setting.ignored', `metadata.${key}`, 'has no effect in a multi-tool assistant: add a tool instead', {
      reason: 'setting.classic_only',
    }),
  );

function checkOptions(metadata: JsonObject, strategy: string, rules: MetadataRules): Diagnostic[] {
  const options = member(metadata, 'orchestrator_options');
  if (!isJsonObject(options)) return [];
  return rules
    .optionProblems(strategy, options)
    .map((found) =>
      error(
        'orchestrator.options_invalid',
        joinPath('metadata.orchestrator_options', found.path),
        found.message,
        reasonOf(found),
      ),
    );
}

function ignoredSettings(
  metadata: JsonObject,
  strategy: string,
  reads: readonly StrategySetting[],
  rules: MetadataRules,
): Diagnostic[] {
  return readToolEntries(metadata).pipeline.flatMap((tool) => {
    const later = rules.looksAtAnswer(tool.plugin, objectMember(tool.entry, 'config'));
    const ignored = later ? STRATEGY_SETTINGS : STRATEGY_SETTINGS.filter((setting) => !reads.includes(setting));
    const where = later ? 'on a tool that looks at the finished answer' : `with the strategy \`${strategy}\``;
    return [
      ...ignored
        .filter((setting) => isSet(tool, setting))
        .map((setting) => ignoredAt(tool, setting, `has no effect ${where}`)),
      ...ignoredFallback(tool),
    ];
  });
}

const ignoredAt = ({ index }: ToolEntry, setting: string, message: string, reason?: string): Diagnostic =>
  info(
    'setting.ignored',
    `metadata.tools[${index}].${setting}`,
    message,
    reason === undefined ? undefined : { reason },
  );

function isSet({ entry }: ToolEntry, setting: StrategySetting): boolean {
  const value = member(entry, setting);
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

function ignoredFallback(tool: ToolEntry): Diagnostic[] {
  const fallback = member(tool.entry, 'fallback');
  if (!isJsonObject(fallback))
    return member(tool.entry, 'on_error') === 'fallback'
      ? [ignoredAt(tool, 'on_error', 'there is no `fallback`: a failure leaves the slot empty', 'setting.no_fallback')]
      : [];
  const given = member(fallback, 'threshold');
  return member(fallback, 'condition') !== 'on_low_confidence' && typeof given === 'number'
    ? [
        ignoredAt(
          tool,
          'fallback.threshold',
          'has no effect unless `condition` is `on_low_confidence`',
          'setting.only_low_confidence',
        ),
      ]
    : [];
}
