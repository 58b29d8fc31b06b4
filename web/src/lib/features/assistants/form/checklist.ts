import type { FieldProblem } from '$lib/kit/api/problem';
import type { Diagnostic } from '$lib/app/catalogues/assistant';
import { type Target, targetOf } from './targets';

type Severity = Diagnostic['severity'];

/** One thing to look at before saving. */
export interface Check {
  readonly id: string;
  readonly severity: Severity;
  /** Code of a diagnostic, `name.missing`, or of a refused save. */
  readonly code: string;
  readonly message: string;
  /** Names and limits in `message`. */
  readonly values?: Diagnostic['values'];
  readonly path: string;
  readonly target: Target;
}

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/** Checks of the form, of the service and of a refused save, each once, errors first. */
export function checksOf(input: {
  readonly name: string;
  /** A new form without any input. */
  readonly untouched?: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly refused: readonly FieldProblem[];
}): readonly Check[] {
  const found = new Map<string, Check>();
  const add = (
    severity: Severity,
    code: string,
    path: string,
    message: string,
    { values, at = '' }: { readonly values?: Diagnostic['values']; readonly at?: string } = {},
  ): void => {
    const id = `${path} ${message} ${at}`;
    if (!found.has(id)) found.set(id, { id, severity, code, message, path, values, target: targetOf(path) });
  };
  if (input.name.trim() === '' && input.untouched !== true) add('error', 'name.missing', 'name', '');
  for (const { severity, code, path, message, range, values } of input.diagnostics)
    add(severity, code, path === 'template' ? 'prompt_template' : path, message, {
      values,
      at: `${range?.start ?? ''}`,
    });
  for (const { path, message, code, values } of input.refused)
    add('error', code ?? 'refused', path, message, { values });
  return [...found.values()].sort((a, b) => RANK[a.severity] - RANK[b.severity]);
}

interface Counts {
  readonly error: number;
  readonly warning: number;
  readonly info: number;
}

export const countsOf = (checks: readonly Pick<Check, 'severity'>[]): Counts => ({
  error: checks.filter(({ severity }) => severity === 'error').length,
  warning: checks.filter(({ severity }) => severity === 'warning').length,
  info: checks.filter(({ severity }) => severity === 'info').length,
});
