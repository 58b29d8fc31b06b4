import type { Problem } from '@bellwether/kernel';

/**
 * `table.absent`: an optional table is missing. `row.left_out`: nothing of the row was read. `value.ignored`: one column of
 * the row was read as if it were empty. `user.nowhere`: a user belongs to no organization.
 */
export const LAMB_PROBLEM_CODES = ['table.absent', 'row.left_out', 'value.ignored', 'user.nowhere'] as const;
export type LambProblemCode = (typeof LAMB_PROBLEM_CODES)[number];

/** A part of the source that could not be read. `path` names the column; it is empty for a whole row or table. */
export interface LambProblem extends Problem {
  readonly code: LambProblemCode;
  /** Without the prefix, e.g. `assistants`. */
  readonly table: string;
  /** Primary key; null for a whole table. */
  readonly row: string | null;
}
