import { functionEntries, type FunctionPlugin } from '../../../tools';
import type { JsonObject, Problem } from '../../../kernel';
import { readToolEntries } from '../metadata/tool-entries';
import { joinPath } from './check-tool';
import { type Diagnostic, error, misspelt, reasonOf } from './diagnostic.types';

export interface FunctionRules {
  find(name: string): Pick<FunctionPlugin, 'definition'> | undefined;
  closest(name: string): string | null;
  /** Paths are relative to the config. */
  validate(name: string, config: unknown): readonly Problem[];
}

const MAX_SHOWN = 64;

export interface PlacedFunction {
  /** `metadata.functions[0]` */
  readonly base: string;
  readonly type: string;
  readonly config: JsonObject;
  /** Stored as a name such as "weather". */
  readonly bare: boolean;
}

export function placedFunctions(metadata: JsonObject): PlacedFunction[] {
  return readToolEntries(metadata).functions.flatMap(({ path, definition, bare }) =>
    functionEntries([definition]).map(({ type, config }) => ({
      base: `metadata.${path}`,
      type: type.trim(),
      config,
      bare,
    })),
  );
}

/** The checks of functions that need no other room. */
export function checkFunctions(metadata: JsonObject, rules: FunctionRules): Diagnostic[] {
  const seen = new Set<string>();
  return placedFunctions(metadata).flatMap(({ base, type, config, bare }) => {
    const definition = rules.find(type)?.definition;
    if (definition === undefined) {
      const closest = rules.closest(type);
      const hint = closest === null ? '' : `; did you mean "${closest}"?`;
      return [
        error(
          'tool.unknown',
          bare ? base : `${base}.type`,
          `no function is called "${type.slice(0, MAX_SHOWN)}"${hint}`,
          misspelt(type.slice(0, MAX_SHOWN), closest),
        ),
      ];
    }
    const problems = rules
      .validate(type, config)
      .map((found) => error('tool.config_invalid', joinPath(base, found.path), found.message, reasonOf(found)));
    const again = seen.has(definition.name) && !definition.allow_multiple;
    seen.add(definition.name);
    return again
      ? [
          ...problems,
          error('function.duplicate', base, `an assistant can have one ${definition.name} only`, {
            reason: 'function.only_one',
          }),
        ]
      : problems;
  });
}
