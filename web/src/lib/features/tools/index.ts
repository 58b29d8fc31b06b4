import type { FieldProblem } from '$lib/kit/api/problem';

export { entryName, labelOf, MAX_LABEL, type NamedEntry } from './entry-name';
export { knownNames, useNames, type Names } from './names.svelte';
export { summaryOf } from './summary';
export { toolName, toolAbout } from './texts';

/** The problems below `prefix` (`metadata.tools[1].config`), with paths relative to it. */
export const problemsBelow = (problems: readonly FieldProblem[], prefix: string): readonly FieldProblem[] =>
  problems
    .filter(({ path }) => path === prefix || path.startsWith(`${prefix}.`) || path.startsWith(`${prefix}[`))
    .map((problem) => ({ ...problem, path: problem.path.slice(prefix.length).replace(/^\./, '') }));
