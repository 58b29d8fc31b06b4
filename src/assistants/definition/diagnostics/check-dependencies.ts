import { checkCondition } from '../../../orchestrators';
import { member } from '../metadata/parse-metadata';
import type { ToolEntry } from '../metadata/tool-entries';
import { joinPath } from './check-tool';
import { type Diagnostic, error, info, warning } from './diagnostic.types';

/** A stored tool with its given or generated placeholder. */
export interface PlacedTool {
  readonly tool: ToolEntry;
  readonly placeholder: string | null;
  /** It checks the finished answer, so no other tool waits for it or sees its result. */
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
