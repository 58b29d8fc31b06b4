import { type JsonObject, isJsonObject } from '@bellwether/kernel';
import { STRATEGY_SETTINGS, type StrategySetting, checkCondition } from '../../../orchestrators';
import type { AssistantDocument } from '../metadata/document.types';
import { member, objectMember, textMember } from '../metadata/parse-metadata';
import { type ToolEntry, readToolEntries } from '../metadata/tool-entries';
import { assistantType } from '../metadata/version';
import { joinPath } from './check-tool';
import { type Diagnostic, type MetadataRules, error, info, misspelt, reasonOf, warning } from './diagnostic.types';

/** A stored tool with its given or generated placeholder. */
export interface PlacedTool {
  readonly tool: ToolEntry;
  readonly placeholder: string | null;
  /** True when it checks the finished answer, so no other tool waits for it or sees its result. */
  readonly later: boolean;
}

const NO_SUCH_PLACEHOLDER = 'no tool of this assistant has this placeholder';

function dependenciesOf({ tool }: PlacedTool): readonly string[] {
  const names = member(tool.entry, 'depends_on');
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

export function checkDependencies(placed: readonly PlacedTool[]): Diagnostic[] {
  const known = new Set(placed.map(({ placeholder }) => placeholder));
  const unknown = placed.flatMap((item) =>
    dependenciesOf(item).flatMap((name, position) =>
      known.has(name)
        ? []
        : [
            error(
              'dependency.unknown',
              `metadata.tools[${item.tool.index}].depends_on[${position}]`,
              NO_SUCH_PLACEHOLDER,
            ),
          ],
    ),
  );
  const cyclic = toolsOnCycles(placed).map(({ tool }) =>
    error('dependency.cycle', `metadata.tools[${tool.index}].depends_on`, 'leads back to this tool'),
  );
  return [...unknown, ...cyclic, ...dependenciesOnChecks(placed)];
}

/** No tool waits for a tool that checks the answer. `checkStrategy` reports the dependencies of such a tool itself. */
function dependenciesOnChecks(placed: readonly PlacedTool[]): Diagnostic[] {
  const later = new Set(placed.flatMap((item) => (item.later ? [item.placeholder] : [])));
  return placed
    .filter((item) => !item.later)
    .flatMap((item) =>
      dependenciesOf(item).flatMap((name, position) => {
        const path = `metadata.tools[${item.tool.index}].depends_on[${position}]`;
        const message = `has no effect: the tool of \`${name}\` looks at the finished answer`;
        return later.has(name) ? [info('setting.ignored', path, message)] : [];
      }),
    );
}

/** Removes tools without a dependency or a dependent in the rest, until only cycles are left. */
function toolsOnCycles(placed: readonly PlacedTool[]): readonly PlacedTool[] {
  let rest = placed.filter((item) => dependenciesOf(item).length > 0);
  for (;;) {
    const names = new Set(rest.map(({ placeholder }) => placeholder));
    const wanted = new Set(rest.flatMap(dependenciesOf));
    const next = rest.filter(
      (item) =>
        dependenciesOf(item).some((name) => names.has(name)) &&
        item.placeholder !== null &&
        wanted.has(item.placeholder),
    );
    if (next.length === rest.length) return rest;
    rest = next;
  }
}

/** Conditions must read results of existing tools that finish earlier. */
export function checkConditions(placed: readonly PlacedTool[], strategy: string | null): Diagnostic[] {
  const known = new Set(placed.map(({ placeholder }) => placeholder));
  return placed.flatMap((item, position) => {
    const { results } = checkCondition(member(item.tool.entry, 'when') ?? true);
    if (results.length === 0) return [];
    const earlier = seenBy(item, position, placed, strategy);
    const later = new Set(placed.filter((other) => other.later).map((other) => other.placeholder));
    return results.flatMap(({ path, placeholder }) => {
      const at = joinPath(`metadata.tools[${item.tool.index}].when`, path);
      if (!known.has(placeholder)) return [error('dependency.unknown', at, NO_SUCH_PLACEHOLDER)];
      return earlier === null || (earlier.has(placeholder) && !later.has(placeholder))
        ? []
        : [
            warning('condition.unseen', at, `the result of \`${placeholder}\` is not there when this is looked at`, {
              reason: 'slot.later',
              placeholder: `{${placeholder}}`,
            }),
          ];
    });
  });
}

/** Placeholders whose outcomes a condition can see; null where the strategy reads no conditions. */
function seenBy(
  item: PlacedTool,
  position: number,
  placed: readonly PlacedTool[],
  strategy: string | null,
): ReadonlySet<string | null> | null {
  if (strategy === 'conditional') return new Set(placed.slice(0, position).map(({ placeholder }) => placeholder));
  return strategy === 'dependency' ? ancestorsOf(item, placed) : null;
}

/** Placeholders of direct and indirect dependencies. */
export function ancestorsOf(item: PlacedTool, placed: readonly PlacedTool[]): ReadonlySet<string | null> {
  const seen = new Set<string | null>();
  const open = [...dependenciesOf(item)];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    open.push(...placed.filter(({ placeholder }) => placeholder === name).flatMap(dependenciesOf));
  }
  return seen;
}

export interface ProcessorRules {
  findPrompt(name: string): object | undefined;
  findRag(name: string): object | undefined;
  closestPrompt(name: string): string | null;
  closestRag(name: string): string | null;
}

const MAX_SHOWN = 64;
/** Values of `document_rag` that add no document in LAMB either. */
const NO_DOCUMENT: ReadonlySet<string> = new Set(['no_rag', 'none']);

/** Reports unknown processors of a classic assistant, and settings of LAMB that have no effect here. */
export function checkClassic(document: AssistantDocument, rules: ProcessorRules): Diagnostic[] {
  if (document.type !== 'classic') return [];
  const { ragProcessor, promptProcessor } = document.classic;
  const found: Diagnostic[] = [];
  if (rules.findRag(ragProcessor) === undefined) {
    const effect = 'the assistant answers without context';
    found.push(unknown('rag_processor', ragProcessor, effect, rules.closestRag(ragProcessor)));
  }
  if (rules.findPrompt(promptProcessor) === undefined) {
    const effect = '`simple_augment` runs instead';
    found.push(unknown('prompt_processor', promptProcessor, effect, rules.closestPrompt(promptProcessor)));
  }
  return [...found, ...unsupported(document.raw)];
}

function unknown(key: string, name: string, effect: string, closest: string | null): Diagnostic {
  const shown = name.slice(0, MAX_SHOWN);
  const hint = closest === null ? '' : `; did you mean "${closest}"?`;
  const message = `there is no processor "${shown}": ${effect}${hint}`;
  return error('processor.unknown', `metadata.${key}`, message, misspelt(shown, closest));
}

function unsupported(metadata: JsonObject): Diagnostic[] {
  const library = textMember(metadata, 'document_rag');
  if (library === null || NO_DOCUMENT.has(library)) return [];
  const message = `"${library.slice(0, MAX_SHOWN)}" is a setting of LAMB that has no effect here: its document does not reach the prompt`;
  return [warning('setting.unsupported', 'metadata.document_rag', message, { reason: 'setting.document_rag' })];
}

/** Lookup of installed plugins that rewrite the question with the fast model. */
export interface RewritingRules {
  /** Config schema of a pipeline tool; empty for an unknown one. */
  schemaOf(tool: string): JsonObject;
  findRag(name: string): { readonly rewrites?: boolean } | undefined;
  findPrompt(name: string): { readonly rewrites?: boolean } | undefined;
}

/** Paths of settings that ask for a rewritten question; disabled tools do not count. */
export function rewritingPaths(document: AssistantDocument, rules: RewritingRules): string[] {
  if (document.type === 'classic') return classicPaths(document, rules);
  return document.pipeline
    .filter(({ enabled }) => enabled)
    .flatMap(({ index, plugin, config, fallback }) => {
      const base = `metadata.tools[${index}]`;
      const own = wantsRewriting(plugin, config, rules) ? [`${base}.config.rewrite_query`] : [];
      const other = fallback !== null && wantsRewriting(fallback.plugin, fallback.config, rules);
      return other ? [...own, `${base}.fallback.config.rewrite_query`] : own;
    });
}

function classicPaths({ classic }: AssistantDocument, rules: RewritingRules): string[] {
  const rag = rules.findRag(classic.ragProcessor);
  if (rag?.rewrites === true) return ['metadata.rag_processor'];
  const rewrites = rules.findPrompt(classic.promptProcessor)?.rewrites === true;
  return rewrites && rag !== undefined && classic.fetches ? ['metadata.prompt_processor'] : [];
}

function wantsRewriting(tool: string, config: JsonObject, rules: RewritingRules): boolean {
  const properties = member(rules.schemaOf(tool), 'properties');
  return isJsonObject(properties) && 'rewrite_query' in properties && member(config, 'rewrite_query') === true;
}

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

/** Choices of a classic assistant that tools have the place of. */
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
